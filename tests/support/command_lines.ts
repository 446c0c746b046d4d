/** Reads the command lines of all processes again and again, until `stop` is called. Linux only: reads /proc. */
export function watchCommandLines() {
  const seen = new Set<string>();
  let running = true;
  async function watch() {
    while (running) {
      for (const { name } of Deno.readDirSync("/proc")) {
        if (!/^\d+$/.test(name)) continue;
        try {
          seen.add(Deno.readTextFileSync(`/proc/${name}/cmdline`));
        } catch {
          // The process has ended meanwhile.
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  const watching = watch();
  return {
    seen: () => [...seen],
    stop() {
      running = false;
      return watching;
    },
  };
}
