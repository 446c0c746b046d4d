/** Returns a function whose calls all share one call of `load`. After a failure the next call tries again. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    if (loaded === undefined) {
      loaded = load();
      loaded.catch(() => loaded = undefined);
    }
    return loaded;
  };
}
