type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name

type SnakeKeys<Of> = { [Name in keyof Of as Name extends string ? Snake<Name> : never]: Of[Name] }

/** The members of an object by the names of columns: the reverse of `camelKeys`. */
export function snakeKeys<Of extends object>(of: Of): SnakeKeys<Of> {
  const pairs = Object.entries(of).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ])
  return Object.fromEntries(pairs) as SnakeKeys<Of>
}
