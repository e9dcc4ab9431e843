import { TraceBody } from '@spoor/contract/schemas/traces/trace-body'
import { DomainError } from '../../lib/domain-error.ts'
import { JsonScanner } from '../../lib/json/json-scan.ts'
import { outlineObject } from '../../lib/json/object-outline.ts'

const NAMES = ['resourceSpans', 'resource_spans'] as const
const OWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(TraceBody.properties))
const EMPTY = /^\s*\{\s*\}\s*$/
/** An empty object with white space around it. */
const EMPTY_BYTES = 64

/**
 * Whether a JSON body is an export of spans: `resourceSpans` is one of its fields. An empty object is one if an
 * exporter sends it. Throws `bad_request` for a body that also has a field of a trace. A body that does not contain the
 * name anywhere, as nearly all, is not scanned.
 */
export function isExport(body: Buffer, isFromExporter: boolean): boolean {
  if (isFromExporter && body.length <= EMPTY_BYTES && EMPTY.test(body.toString())) return true
  if (!NAMES.some((name) => body.includes(`"${name}"`))) return false
  const outline = outlineObject(new JsonScanner(body, Infinity))
  const fields = (outline?.members ?? []).map(({ keyStart, keyEnd }) => body.toString('utf8', keyStart + 1, keyEnd - 1))
  if (!NAMES.some((name) => fields.includes(name))) return false
  const own = fields.find((name) => OWN_FIELDS.has(name))
  if (own === undefined) return true
  throw new DomainError(
    'bad_request',
    `A body has either \`resourceSpans\` or fields of a trace; it also has \`${own}\`.`,
  )
}
