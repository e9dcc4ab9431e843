import type { FieldError } from '@spoor/contract/errors'
import { invalid } from '../../lib/validation/validation-failed.ts'

/**
 * A number like 1e400 is valid JSON but is parsed as infinity. Throws `validation_failed` with the first such number in
 * a parsed body.
 */
export function refuseInfinite(body: unknown): void {
  const errors: FieldError[] = []
  collect(body, '', errors)
  if (errors.length > 0) throw invalid(...errors)
}

function collect(value: unknown, pointer: string, errors: FieldError[]): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    errors.push({ pointer, code: 'out_of_range', detail: 'The number is too large.' })
  }
  if (typeof value !== 'object' || value === null || errors.length > 0) return
  for (const [name, inner] of Object.entries(value)) {
    collect(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, errors)
  }
}
