/** Accepted from a client as the name of its request: nothing that could disturb a log or a header. */
const SANE = /^[A-Za-z0-9][A-Za-z0-9._:/+=-]{0,127}$/

export function requestIdFrom(header: string | string[] | undefined, newId: () => string): string {
  return typeof header === 'string' && SANE.test(header) ? header : newId()
}
