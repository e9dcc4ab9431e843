import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/** Whether a value matches the schema, which is compiled for the first value: a start would spend an eighth on all. */
export function compileCheck(schema: TSchema): (value: unknown) => boolean {
  let validator: Validator | undefined
  return (value) => (validator ??= Compile(schema)).Check(value)
}
