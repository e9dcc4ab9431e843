/** Settings of a process whose clock is this many days behind. */
export function clockBehind(days: number): Record<'NODE_OPTIONS', string> {
  const code = `const now = Date.now; Date.now = () => now() - ${days} * 86400000`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}
