type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name

type CamelKeys<Of> = { [Name in keyof Of as Name extends string ? Camel<Name> : never]: Of[Name] }

/** The members of an object of the wire, or of a row, by their names in camelCase. Members of members keep theirs. */
export function camelKeys<Of extends object>(of: Of): CamelKeys<Of> {
  const pairs = Object.entries(of).map(([name, value]) => [
    name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.fromEntries(pairs) as CamelKeys<Of>
}

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name

type SnakeKeys<Of> = { [Name in keyof Of as Name extends string ? Snake<Name> : never]: Of[Name] }

/** The reverse of `camelKeys`. */
export function snakeKeys<Of extends object>(of: Of): SnakeKeys<Of> {
  const pairs = Object.entries(of).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ])
  return Object.fromEntries(pairs) as SnakeKeys<Of>
}
