/** Makes all calls share one call of `load`. One that failed is made again by the next call. */
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
