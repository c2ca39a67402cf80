/** Limits the bytes of request bodies in memory, and how long a body may take to arrive. */
import { limits } from "../../limits.ts";
import { Problem } from "../../problem.ts";

/** Shares of the budget that large bodies, and one client, may take at most. */
const largeShare = 0.75;
const clientShare = 0.5;

/** A body is slow that takes longer for the next 16 KiB. It gives way to others if there is no room. */
const maxStepMs = 1_000;
const stepBytes = 16_384;

export class BodyBudget {
  readonly #bytesByClient = new Map<string, number>();
  readonly #arriving = new Set<BodyReservation>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Reserved bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param client the client IP, as rate limits count it */
  reserve(client: string): BodyReservation {
    return new BodyReservation(this, this.#arriving, client);
  }

  /**
   * Reserves bytes for a body that has `held`. Slow bodies give way to it, or clients that send nothing
   * would block others. @throws {Problem} `unavailable` if there is no room.
   */
  take(client: string, bytes: number, held: number): void {
    const max = this.maxBytes * (held + bytes > limits.body.maxSmallBytes ? largeShare : 1);
    const isFull = () => this.#bytes + bytes > max;
    const isClientFull = () => this.#ofClient(client) + bytes > max * clientShare;
    if (isClientFull()) this.#interruptSlow(isClientFull, client);
    if (isFull()) this.#interruptSlow(isFull);
    if (isFull() || isClientFull()) throw tooMany("Too many request bodies are in progress.");
    this.#bytes += bytes;
    this.#bytesByClient.set(client, this.#ofClient(client) + bytes);
  }

  give(client: string, bytes: number): void {
    const left = this.#ofClient(client) - bytes;
    if (left > 0) this.#bytesByClient.set(client, left);
    else this.#bytesByClient.delete(client);
    this.#bytes -= bytes;
  }

  #ofClient(client: string): number {
    return this.#bytesByClient.get(client) ?? 0;
  }

  /** Interrupts slow bodies, the slowest first, until there is room. */
  #interruptSlow(isNeeded: () => boolean, client?: string): void {
    const slowSince = performance.now() - maxStepMs;
    const slow = [...this.#arriving].filter(
      (body) => body.stepAt < slowSince && (client === undefined || body.client === client),
    );
    for (const body of slow.sort((one, other) => one.stepAt - other.stepAt)) {
      if (!isNeeded()) return;
      body.interrupt(tooMany("The body arrived slowly, and others needed the room."));
    }
  }
}

const tooMany = (message: string) =>
  new Problem("unavailable", { message, headers: { "retry-after": "1", connection: "close" } });

/** The reservation of one request. */
export class BodyReservation {
  /** `performance.now()` when the latest 16 KiB had arrived. */
  stepAt = 0;
  #isDeclared = false;
  #reserved = 0;
  #received = 0;
  #stepEnd = 0;
  #cut: PromiseWithResolvers<never> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly budget: BodyBudget,
    private readonly arriving: Set<BodyReservation>,
    readonly client: string,
  ) {}

  /** Reserves the declared bytes, once. @throws {Problem} `unavailable` if there is no room. */
  declare(bytes: number): void {
    if (this.#isDeclared) return;
    this.#reserve(bytes);
    this.#isDeclared = true;
  }

  /**
   * Reserves the declared bytes, and begins to read the body until {@link end}. The body has a deadline, and
   * may have to give way. Idempotent.
   *
   * @param maxReadSeconds from now to the last byte
   * @returns a promise that rejects with a {@link Problem} if the body takes too long, or has to give way
   * @throws {Problem} `unavailable` if there is no room.
   */
  begin(declaredBytes: number, maxReadSeconds: number = limits.body.maxReadSeconds): Promise<never> {
    if (this.#cut) return this.#cut.promise;
    this.declare(declaredBytes);
    this.stepAt = performance.now();
    this.#stepEnd = stepBytes;
    this.#cut = Promise.withResolvers();
    // Nothing awaits the promise of a body that is not read.
    this.#cut.promise.catch(() => {});
    this.arriving.add(this);
    this.#timer = setTimeout(() => {
      this.interrupt(
        new Problem("bad_request", {
          message: `The body did not arrive within ${maxReadSeconds} s.`,
          headers: { connection: "close" },
        }),
      );
    }, maxReadSeconds * 1000);
    return this.#cut.promise;
  }

  /** Counts bytes, and reserves undeclared ones. @throws {Problem} `unavailable` without room. */
  receive(bytes: number): void {
    if (this.#received + bytes > this.#reserved) this.#reserve(this.#received + bytes - this.#reserved);
    this.pass(bytes);
  }

  /** Counts received bytes that are passed on, and therefore need no room. */
  pass(bytes: number): void {
    this.#received += bytes;
    if (this.#received < this.#stepEnd) return;
    this.#stepEnd = this.#received + stepBytes;
    this.stepAt = performance.now();
  }

  /** Rejects the promise of {@link begin}, and releases the bytes. */
  interrupt(problem: Problem): void {
    this.release();
    this.#cut?.reject(problem);
  }

  /** Ends the reading: the body has arrived, or is not read further. */
  end(): void {
    clearTimeout(this.#timer);
    this.arriving.delete(this);
  }

  /** Releases the bytes after the response is sent. */
  release(): void {
    this.end();
    this.budget.give(this.client, this.#reserved);
    this.#reserved = 0;
  }

  #reserve(bytes: number): void {
    this.budget.take(this.client, bytes, this.#reserved);
    this.#reserved += bytes;
  }
}
