/** Limits the bytes of request bodies in memory. */
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";

/** Large bodies leave a part for small ones, and one client leaves a part for others. */
const largeShare = 0.75;
const clientShare = 0.5;

/** The part of one request. */
export interface BodyReservation {
  /** Counts bytes of its body. @throws {Problem} `unavailable` when there is no room for them. */
  add(bytes: number): void;
  /** Gives everything back. */
  release(): void;
}

export class BodyBudget {
  readonly #maxBytes: number;
  readonly #bytesByClient = new Map<string, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are reserved. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param client the client IP, as rate limits count it */
  reserve(client: string): BodyReservation {
    let own = 0;
    return {
      add: (bytes) => {
        const max = this.#maxBytes * (own + bytes > limits.body.maxSmallBytes ? largeShare : 1);
        const ofClient = (this.#bytesByClient.get(client) ?? 0) + bytes;
        if (this.#bytes + bytes > max || ofClient > max * clientShare)
          throw new Problem("unavailable", {
            message: "Too many request bodies are in flight.",
            headers: { "retry-after": "1" },
          });
        this.#bytes += bytes;
        this.#bytesByClient.set(client, ofClient);
        own += bytes;
      },
      release: () => {
        const left = (this.#bytesByClient.get(client) ?? 0) - own;
        if (left > 0) this.#bytesByClient.set(client, left);
        else this.#bytesByClient.delete(client);
        this.#bytes -= own;
        own = 0;
      },
    };
  }
}
