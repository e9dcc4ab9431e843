import type { FieldErrors, Place } from './field-errors.ts'
import type { JsonScanner } from '../json/json-scan.ts'

/**
 * Adds `duplicate_field` for every field that occurs more than once in an object of the value, at any depth. `scanner`
 * is at the value, whose text MUST be valid JSON. Reads each byte once.
 */
export function checkRepeatedFieldsWithin(scanner: JsonScanner, place: Place | null, errors: FieldErrors): void {
  if (scanner.enterObject()) {
    const names = new Set<string>()
    while (!errors.isFull && scanner.nextMember()) {
      const key = JSON.parse(scanner.bytes.toString('utf8', scanner.keyStart, scanner.keyEnd)) as string
      const at = { parent: place, key }
      if (names.has(key)) errors.addRepeated(at)
      names.add(key)
      checkRepeatedFieldsWithin(scanner, at, errors)
    }
  } else if (scanner.enterArray()) {
    for (let key = 0; !errors.isFull && scanner.nextElement(); key++) {
      checkRepeatedFieldsWithin(scanner, { parent: place, key }, errors)
    }
  } else {
    scanner.skipValue()
  }
}
