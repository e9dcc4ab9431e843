/** Without this, a signal ends the process before what must be cleaned up at its exit: mounts, services. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
}
