/** Caches the first successful result of `make`, for `maxAgeMs`. Concurrent calls share one execution. */
export function once<T>(make: () => Promise<T>, maxAgeMs = Number.POSITIVE_INFINITY): () => Promise<T> {
  let made: Promise<T> | undefined;
  let begunAt = 0;
  return () => {
    if (made && performance.now() - begunAt < maxAgeMs) return made;
    begunAt = performance.now();
    const current = make().catch((error) => {
      if (made === current) made = undefined;
      throw error;
    });
    made = current;
    return current;
  };
}
