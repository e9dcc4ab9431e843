import { readTimeRangeSearch } from './time-range.ts'

type Raw = Readonly<Record<string, unknown>>

/** Takes a parameter of an address; undefined if it is invalid. */
type Read<T> = (value: unknown) => T | undefined
type Fields = Readonly<Record<string, Read<unknown>>>
type SearchOf<T extends Fields> = { readonly [Name in keyof T]?: NonNullable<ReturnType<T[Name]>> }

export const oneOf =
  <T>(values: readonly T[]): Read<T> =>
  (value) =>
    values.find((each) => each === value)

/** The router parses text that looks like a number or a boolean. */
export const text: Read<string> = (value) =>
  ['string', 'number', 'boolean'].includes(typeof value) && value !== '' ? String(value) : undefined

/** Parses the URL of a screen; drops invalid values. */
export function searchOf<T extends Fields>(fields: T): (raw: Raw) => SearchOf<T> {
  return (raw) => {
    const read = Object.entries(fields).map(([name, of]) => [name, of(raw[name])] as const)
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as SearchOf<T>
  }
}

/** The same, with a time range. */
export function rangeSearchOf<T extends Fields>(fields: T) {
  const own = searchOf(fields)
  return (raw: Raw) => ({ ...readTimeRangeSearch(raw), ...own(raw) })
}

/** Search parameters with these changed; undefined removes one. */
export function changed<T extends object>(search: T, change: { readonly [Name in keyof T]?: T[Name] | undefined }): T {
  const all = Object.entries({ ...search, ...change })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as T
}
