/** Request ids that are accepted from clients: no characters with a meaning in logs or headers. */
const VALID = /^[A-Za-z0-9][A-Za-z0-9._:/+=-]{0,127}$/

export function requestIdFrom(header: string | string[] | undefined, newId: () => string): string {
  return typeof header === 'string' && VALID.test(header) ? header : newId()
}
