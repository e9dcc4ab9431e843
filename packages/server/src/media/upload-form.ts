import { isId, type StepId, type TraceId } from '@spoor/contract/ids'
import { MEDIA_KINDS, type MediaKind } from '@spoor/contract/schemas/attachment'
import { FieldErrors } from '../lib/validation/field-errors.ts'
import { invalidFields, MOST_ERRORS } from '../lib/validation/validation-failed.ts'

export interface UploadFields {
  readonly traceId: TraceId
  readonly stepId: StepId | null
  readonly kind: MediaKind
}

const FIELDS = ['trace_id', 'step_id', 'kind'] as const
const FILE = 'file'

/** The fields of an upload, in any order. Problems are collected until they are checked. */
export class UploadForm {
  readonly #values = new Map<string, string>()
  readonly #errors = new FieldErrors(MOST_ERRORS)
  #files = 0

  /** `value` null: longer than any field may be. */
  addField(name: string, value: string | null): void {
    if (name === FILE) return this.#error(name, 'wrong_type', '`file` must be a file part.')
    if (!FIELDS.some((field) => field === name)) return this.#unknown(name)
    if (this.#values.has(name)) return this.#repeated(name)
    this.#values.set(name, value ?? '')
    if (value === null) return this.#error(name, 'too_long', 'The value is too long.')
    // A form sends an empty value for none.
    if (value === '' && name === 'step_id') return
    this.#check(name, value)
  }

  addFile(name: string): void {
    if (name === FILE) {
      this.#files += 1
      if (this.#files > 1) this.#repeated(name)
    } else if (FIELDS.some((field) => field === name)) this.#error(name, 'wrong_type', 'It must not be a file part.')
    else this.#unknown(name)
  }

  /** Throws `validation_failed` naming every problem so far. */
  refuseProblems(): void {
    if (this.#errors.isEmpty) return
    throw invalidFields(this.#errors)
  }

  /** The trace and step of the artifact, as far as known: null without a trace; the step may still arrive. */
  place(): Pick<UploadFields, 'traceId' | 'stepId'> | null {
    const traceId = this.#values.get('trace_id')
    if (!isId('tr', traceId)) return null
    const stepId = this.#values.get('step_id')
    return { traceId, stepId: isId('st', stepId) ? stepId : null }
  }

  /** Call it after the last part. Throws `validation_failed`. */
  finish(): UploadFields {
    for (const name of ['trace_id', 'kind']) {
      if (!this.#values.has(name)) this.#errors.addRequired({ parent: null, key: name })
    }
    if (this.#files === 0) this.#errors.addRequired({ parent: null, key: FILE })
    this.refuseProblems()
    const place = this.place()
    const kind = MEDIA_KINDS.find((known) => known === this.#values.get('kind'))
    if (place === null || kind === undefined) throw new Error('a form without problems has its fields')
    return { ...place, kind }
  }

  #check(name: string, value: string): void {
    if (name === 'trace_id' && !isId('tr', value)) {
      this.#error(name, 'invalid_format', 'It must be a trace id: `tr_` and 26 lower-case base32 characters.')
    } else if (name === 'step_id' && !isId('st', value)) {
      this.#error(name, 'invalid_format', 'It must be a step id: `st_` and 26 lower-case base32 characters.')
    } else if (name === 'kind' && !MEDIA_KINDS.some((kind) => kind === value)) {
      this.#error(name, 'invalid_value', `Must be one of ${MEDIA_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`)
    }
  }

  #repeated(name: string): void {
    this.#errors.addRepeated({ parent: null, key: name })
  }

  #unknown(name: string): void {
    this.#errors.addUnknown({ parent: null, key: name }, [...FIELDS, FILE])
  }

  #error(name: string, code: Parameters<FieldErrors['add']>[1], detail: string): void {
    this.#errors.add({ parent: null, key: name }, code, detail)
  }
}
