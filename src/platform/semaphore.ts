/** Lets at most `max` of some work run at a time, in the order of the calls. */
export class Semaphore {
  readonly #max: number;
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** How many calls wait for their turn. */
  get queued(): number {
    return this.#queue.length;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  get isFull(): boolean {
    return this.#running >= this.#max;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
