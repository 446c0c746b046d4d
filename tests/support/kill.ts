/** Sends a signal to a child process. One that ended a moment ago gets none: its end may not have been noticed yet. */
export function killIfRunning(child: Deno.ChildProcess, signal: Deno.Signal = "SIGTERM"): void {
  try {
    child.kill(signal);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}
