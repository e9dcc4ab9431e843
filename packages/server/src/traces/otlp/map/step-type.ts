import type { SpanFields } from './span-fields.ts'
import { STEP_TYPES, type TypeRule } from './mapping-table.ts'

export function stepType(spanName: string, fields: SpanFields): string {
  return STEP_TYPES.find(([, rules]) => rules.some((rule) => holds(rule, spanName, fields)))?.[0] ?? 'other'
}

function holds(rule: TypeRule, spanName: string, fields: SpanFields): boolean {
  if ('spanName' in rule) return spanName === rule.spanName
  if ('present' in rule) return fields.has(rule.present)
  const value = fields.text(rule.name)?.toLowerCase()
  if (value === undefined) return false
  if ('is' in rule) return rule.is.some((one) => one.toLowerCase() === value)
  return rule.endsWith.some((end) => value.endsWith(end.toLowerCase()))
}
