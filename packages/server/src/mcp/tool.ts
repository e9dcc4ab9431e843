import type { Static, TObject } from 'typebox'
import { compileValidator } from '../lib/validation/validator.ts'
import type { Api } from './api.ts'

/** A tool as the server lists and calls it. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: TObject
  /** Whether it changes nothing. */
  readonly readOnly: boolean
  /** The value to return as JSON. Rejects with ToolError, or with DomainError for arguments that do not match. */
  readonly call: (given: unknown, api: Api) => Promise<unknown>
}

interface ToolDefinition<S extends TObject> extends Omit<Tool, 'call' | 'input'> {
  readonly input: S
  readonly run: (input: Static<S>, api: Api) => Promise<unknown>
}

export function defineTool<const S extends TObject>({ run, ...tool }: ToolDefinition<S>): Tool {
  const validate = compileValidator(tool.input)
  return { ...tool, call: async (given, api) => run(validate(given), api) }
}
