type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name

type CamelKeys<Of> = { [Name in keyof Of as Name extends string ? Camel<Name> : never]: Of[Name] }

/** The members of an object by their camelCase names, for names with underscores. Members of members keep theirs. */
export function camelKeys<Of extends object>(of: Of): CamelKeys<Of> {
  const pairs = Object.entries(of).map(([name, value]) => [
    name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.fromEntries(pairs) as CamelKeys<Of>
}
