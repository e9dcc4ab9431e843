/** Milliseconds since 1970 as an input of type `datetime-local` takes it: the reader's own time, to the second. */
export function toLocalInput(time: number): string {
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
