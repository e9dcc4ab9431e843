import { DETECTORS, type Masking } from '@spoor/contract/schemas/masking'
import { compilePattern } from '../lib/masking/compile-pattern.ts'
import { invalid } from '../lib/validation/validation-failed.ts'

/** Throws DomainError `validation_failed` for what a schema cannot express: names, and patterns that cannot be used. */
export async function checkMasking({ patterns = [] }: Partial<Masking>): Promise<void> {
  const names = new Set<string>(DETECTORS)
  for (const [index, { name, pattern }] of patterns.entries()) {
    const at = `/masking/patterns/${index}`
    if (names.has(name)) {
      const detail = `Another pattern or a detector is called \`${name}\`.`
      throw invalid({ pointer: `${at}/name`, code: 'invalid_value', detail })
    }
    names.add(name)
    const compiled = await compilePattern(pattern)
    if (typeof compiled === 'string') {
      throw invalid({ pointer: `${at}/pattern`, code: 'invalid_value', detail: compiled })
    }
  }
}
