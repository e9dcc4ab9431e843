import type { MetricCreate, MetricPatch } from '@spoor/contract/schemas/metrics/metric'
import { checkUnicode } from '../lib/validation/field-rules.ts'
import type { FieldErrors, Place } from '../lib/validation/field-errors.ts'
import type { MetricDefinition } from '../ports/metrics/metric-definition.ts'

/** Properties that only one kind of metric can have. */
const KIND_OF = { min: 'numeric', max: 'numeric', unit: 'numeric', options: 'enum' } as const
const NAMES_OF_KINDS = Object.keys(KIND_OF) as (keyof typeof KIND_OF)[]

/** Paths of the service itself, and segments that clients remove from a path before they send it. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['events', '.', '..'])

const VISIBLE = /[^\p{C}\p{Z}]/u
const CONTROL = /\p{Cc}/u

/** Adds the errors of a new definition beyond its schema. */
export function checkDefinition(body: MetricCreate, errors: FieldErrors): void {
  checkName(body.name, errors)
  checkKind(body.kind, body, errors)
  if (body.kind === 'enum' && body.options === undefined) {
    errors.add({ parent: null, key: 'options' }, 'required', 'An enum metric must have `options`.')
  }
  checkRange(body.min ?? null, body.max ?? null, errors)
  checkTexts(body, errors)
}

/** Adds the errors of a change of `present` beyond its schema: existing events must stay valid. */
export function checkChange(body: MetricPatch, present: MetricDefinition, errors: FieldErrors): void {
  checkKind(present.kind, body, errors)
  if (!errors.isEmpty) return
  const { min, max, options } = body
  if (min !== undefined && isNarrower(present.min, min, (bound, next) => next > bound)) {
    errors.add(
      { parent: null, key: 'min' },
      'out_of_range',
      `\`min\` can only be lowered; it is ${present.min ?? 'not bounded'}.`,
    )
  }
  if (max !== undefined && isNarrower(present.max, max, (bound, next) => next < bound)) {
    errors.add(
      { parent: null, key: 'max' },
      'out_of_range',
      `\`max\` can only be raised; it is ${present.max ?? 'not bounded'}.`,
    )
  }
  if (options !== undefined) {
    const kept = new Set(options.map(({ value }) => value))
    const gone = (present.options ?? []).find(({ value }) => !kept.has(value))
    if (gone !== undefined) {
      const detail = `An option cannot be removed: ${JSON.stringify(gone.value)} must stay.`
      errors.add({ parent: null, key: 'options' }, 'invalid_value', detail)
    }
  }
  checkTexts(body, errors)
}

function checkName(name: string, errors: FieldErrors): void {
  const place = { parent: null, key: 'name' }
  if (!name.isWellFormed()) errors.add(place, 'invalid_value', 'It must be valid Unicode, without lone surrogates.')
  else if (CONTROL.test(name)) errors.add(place, 'invalid_format', 'It must not hold control characters.')
  else if (!VISIBLE.test(name)) errors.add(place, 'too_short', 'It must have at least one visible character.')
  else if (RESERVED_NAMES.has(name)) errors.add(place, 'invalid_value', `${JSON.stringify(name)} is reserved.`)
}

function checkKind(kind: MetricDefinition['kind'], body: MetricCreate | MetricPatch, errors: FieldErrors): void {
  for (const name of NAMES_OF_KINDS) {
    const wanted = KIND_OF[name]
    if (body[name] === undefined || wanted === kind) continue
    const detail = `Only a metric of kind ${wanted} can have \`${name}\`; this one is ${kind}.`
    errors.add({ parent: null, key: name }, 'invalid_value', detail)
  }
}

function checkRange(min: number | null, max: number | null, errors: FieldErrors): void {
  if (min === null || max === null || min <= max) return
  errors.add({ parent: null, key: 'max' }, 'out_of_range', '`max` must not be below `min`.')
}

function isNarrower(
  present: number | null,
  next: number | null,
  narrows: (bound: number, next: number) => boolean,
): boolean {
  if (next === null) return false
  return present === null || narrows(present, next)
}

function checkTexts(body: MetricCreate | MetricPatch, errors: FieldErrors): void {
  checkUnicode(body, 'description', null, errors)
  checkUnicode(body, 'unit', null, errors)
  checkOptions(body.options ?? [], { parent: null, key: 'options' }, errors)
}

function checkOptions(options: NonNullable<MetricCreate['options']>, place: Place, errors: FieldErrors): void {
  const firstWith = new Map<string, number>()
  options.forEach((option, index) => {
    const at = { parent: place, key: index }
    checkUnicode(option, 'value', at, errors)
    checkUnicode(option, 'label', at, errors)
    const first = firstWith.get(option.value)
    if (first === undefined) firstWith.set(option.value, index)
    else errors.add({ parent: at, key: 'value' }, 'invalid_value', `Option ${first} has the same value.`)
  })
}
