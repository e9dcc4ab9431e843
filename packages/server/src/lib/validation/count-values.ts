import type { JsonScanner } from '../json/json-scan.ts'

/**
 * The number of values in the JSON text at `scanner`: objects, arrays and everything in them. Stops when there are more
 * than `most` or the scanner fails. Builds no values, so that the cost of a body can be bounded before it is parsed.
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
