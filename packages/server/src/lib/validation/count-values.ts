import type { JsonScanner } from '../json/json-scan.ts'

/**
 * Values in the JSON text that `scanner` stands on: objects, arrays and what they hold. Stops as soon as there are
 * more than `most`, and where the scanner fails. Builds nothing, so that what a body costs can be bounded before it is
 * parsed.
 */
export function countValues(scanner: JsonScanner, most: number): number {
  let count = 1
  if (scanner.enterObject()) {
    while (count <= most && scanner.nextMember()) count += countValues(scanner, most - count)
  } else if (scanner.enterArray()) {
    while (count <= most && scanner.nextElement()) count += countValues(scanner, most - count)
  } else {
    scanner.skipValue()
  }
  return count
}
