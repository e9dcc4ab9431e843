const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/** When the service made an id, milliseconds since 1970: its first ten characters, which hold 48 bits of time behind two zeros. */
export function timeOfId(id: string): number {
  const suffix = id.slice(id.indexOf('_') + 1)
  let time = 0
  for (const digit of suffix.slice(0, 10)) time = time * 32 + DIGITS.indexOf(digit)
  return time
}
