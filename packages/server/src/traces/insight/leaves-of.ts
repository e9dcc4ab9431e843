import { isRawNumber } from '@spoor/payloads/exact-json'

/** What is not a list or an object in a value, with JSON pointers. Recurses as deep as it, which intake has bounded. */
export function* leavesOf(value: unknown, path = ''): Generator<readonly [path: string, value: unknown]> {
  if (isRawNumber(value)) yield [path, value.rawJSON]
  else if (typeof value !== 'object' || value === null) yield [path, value]
  else {
    for (const [name, member] of Object.entries(value)) {
      yield* leavesOf(member, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    }
  }
}
