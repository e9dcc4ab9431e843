/**
 * Every value of `name` in a Cookie header (RFC 6265, section 5.4), in order; none if the header is missing or
 * malformed. Values are as sent: not unquoted, not decoded.
 */
export function cookieValues(header: string | undefined, name: string): string[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const equals = pair.indexOf('=')
    return equals >= 0 && pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : []
  })
}
