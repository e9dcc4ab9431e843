import { firstOf } from '@spoor/payloads/json'
import type { Span } from '../wire/span.ts'
import * as table from './mapping-table.ts'
import { isObject, parsed, type SpanFields } from './span-fields.ts'

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(table.KINDS_OF_TYPES).flatMap(([type, kinds]) =>
    kinds.split(',').map((kind) => [kind, type] as const),
  ),
)
const CLIENT = 3

export function stepType({ name, kind }: Pick<Span, 'name' | 'kind'>, fields: SpanFields): string {
  return typeOfTask(name, fields) ?? typeOfKind(fields) ?? typeOfOperation(fields) ?? typeOfSpan(name, kind, fields)
}

function typeOfTask(name: string, fields: SpanFields): string | undefined {
  if (fields.text(table.TASK.kind) !== table.TASK.value) return undefined
  return table.TYPES_OF_TASKS.find(([end]) => end.test(name))?.[1]
}

/** What the sender calls it. */
function typeOfKind(fields: SpanFields): string | undefined {
  const object = parsed(fields.get(table.KIND_OBJECT))
  const named = isObject(object) ? object['type'] : undefined
  const type =
    firstOf(table.KINDS, (name) => typeOf(fields.text(name))) ?? typeOf(typeof named === 'string' ? named : undefined)
  return type === 'tool' && fields.text(table.TOOL_NAME) === table.MERGED_TOOLS ? 'chain' : type
}

function typeOf(kind: string | undefined): string | undefined {
  if (kind === undefined) return undefined
  return (
    TYPES.get(kind) ??
    TYPES.get(
      kind
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '_')
        .replaceAll(/^_|_$/g, ''),
    )
  )
}

function typeOfOperation(fields: SpanFields): string | undefined {
  const operation = fields.text('ai.operationId')
  return operation === undefined ? undefined : table.AI_OPERATIONS.find(([end]) => operation.endsWith(end))?.[1]
}

/** What it looks like. */
function typeOfSpan(name: string, kind: number, fields: SpanFields): string {
  const [named, attribute] = table.TYPES_BY_NAMES.get(name) ?? []
  if (named !== undefined && (attribute === undefined || fields.has(attribute))) return named
  const hasUsage = table.USAGE.some((prefix) => fields.hasAny(prefix))
  // A client that names a model has called it.
  if ((hasUsage || kind === CLIENT) && table.MODEL.some((one) => fields.has(one))) return 'llm'
  const present = table.TYPES_BY_ATTRIBUTES.find(([one]) => fields.has(one))
  if (present !== undefined) return present[1]
  const { name: tool, call } = table.TOOL_OF_SPAN
  if (fields.text(tool) === name && fields.has(call)) return 'tool'
  return typeOf(fields.has('span.type') ? undefined : fields.text('entity.type')) ?? typeOfName(name)
}

/** Names of spans of tools begin with the operation in the conventions. ADK gives a failed one no attributes. */
function typeOfName(name: string): string {
  return name.startsWith('execute_tool ') ? 'tool' : 'other'
}
