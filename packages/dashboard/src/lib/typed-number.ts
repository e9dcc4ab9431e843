/** A typed number. Invalid text is sent unchanged, and the service reports the field. */
export function toNumber(text: string): number {
  const value = text.trim() === '' ? NaN : Number(text.replace(',', '.'))
  return Number.isNaN(value) ? (text as unknown as number) : value
}
