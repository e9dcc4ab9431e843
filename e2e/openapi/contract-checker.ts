import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Answer, Call, Client } from '../lib/client.ts'
import { fillPath, type LiveDocument, type LiveOperation, operationsOf } from '../lib/live-operations.ts'

export interface CheckedAnswer extends Pick<Answer, 'status' | 'text'> {
  /** Method and path with query. */
  readonly call: string
  /** Of the node that it was forwarded to; null if the node that received it answered. */
  readonly node: string | null
}

export function nodeOf({ headers }: Pick<Answer, 'headers'>): string | null {
  const { 'x-spoor-node': node } = headers
  return typeof node === 'string' ? node : null
}

interface Schemas {
  readonly ajv: Ajv2020
  readonly validators: Map<string, ValidateFunction>
  readonly operations: readonly (LiveOperation & { readonly pattern: RegExp })[]
}

/** By the text of the document: to compile its schemas takes seconds, and most services have the same one. */
const SCHEMAS = new Map<string, Schemas>()

function schemasOf(document: LiveDocument): Schemas {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema(document, 'openapi.json', undefined, false)
  const operations = operationsOf(document).map((operation) => {
    const pattern = operation.path.replaceAll(/[.]/g, '\\.').replaceAll(/\{\w+\}/g, '[^/]+')
    return Object.assign(operation, { pattern: new RegExp(`^${pattern}$`) })
  })
  return { ajv, validators: new Map(), operations }
}

/** Checks every answer against the OpenAPI document of the running service. */
export class ContractChecker {
  readonly violations: string[] = []
  /** All that were checked, in the order of their requests. */
  readonly answers: CheckedAnswer[] = []
  readonly #schemas: Schemas
  readonly #met = new Set<string>()

  constructor(document: LiveDocument) {
    const text = JSON.stringify(document)
    this.#schemas = SCHEMAS.get(text) ?? schemasOf(document)
    SCHEMAS.set(text, this.#schemas)
  }

  /** Sends a request and checks the answer. */
  async call(client: Client, call: Call): Promise<Answer> {
    const answer = await client.call(call)
    this.check(call.method ?? 'GET', call.path, answer)
    return answer
  }

  check(method: string, target: string, answer: Pick<Answer, 'status' | 'headers' | 'text'>): void {
    const path = target.split('?', 1)[0] as string
    this.answers.push({ call: `${method} ${target}`, status: answer.status, text: answer.text, node: nodeOf(answer) })
    const operation = this.#find(method, path)
    const label = `${method} ${target.slice(0, 200)} ${answer.status}`
    if (operation === null) return this.#violate(`${label}: no such operation in the document`)
    this.#met.add(`${operation.operationId} ${answer.status}`)
    const response = operation.responses[String(answer.status)]
    if (response === undefined) return this.#violate(`${label}: not documented: ${answer.text.slice(0, 300)}`)
    // An answer to HEAD has the headers of a body but no body.
    if (method === 'HEAD') return answer.text === '' ? undefined : this.#violate(`${label}: a body`)
    if (response.content !== undefined && '*/*' in response.content && answer.status < 400) return
    const type = answer.headers['content-type']?.split(';', 1)[0] ?? null
    if (response.content === undefined || Object.keys(response.content).length === 0) {
      if (answer.text !== '') this.#violate(`${label}: a body where none is documented`)
      return
    }
    if (type === null || !(type in response.content))
      return this.#violate(`${label}: the type ${type} is not documented`)
    const validate = this.#validator(operation, answer.status, type)
    for (const body of bodiesOf(type, answer.text)) {
      if (!validate(body))
        this.#violate(
          `${label}: ${this.#schemas.ajv.errorsText(validate.errors)}\n    ${JSON.stringify(body).slice(0, 500)}`,
        )
    }
  }

  /** Operations without a call. */
  unmet(): string[] {
    const met = new Set([...this.#met].map((pair) => pair.split(' ')[0]))
    return this.#schemas.operations.map(({ operationId }) => operationId).filter((id) => !met.has(id))
  }

  /** Every operation of the document. */
  documented(): readonly LiveOperation[] {
    return this.#schemas.operations
  }

  /** Requests that change something and that a session may send, without bodies and with arbitrary parameters. */
  changing(): { readonly method: string; readonly path: string }[] {
    return this.#schemas.operations
      .filter(({ method, security }) => !['GET', 'HEAD'].includes(method) && security.some((one) => 'session' in one))
      .map(({ method, path }) => ({ method, path: fillPath(path, () => 'x') }))
  }

  /** Documented answers that no call got, as `operation status`, without those whose codes are all in `unreachable`. */
  unmetAnswers(unreachable: ReadonlySet<string>): string[] {
    return this.#schemas.operations
      .flatMap(({ operationId, responses }) =>
        Object.entries(responses)
          .filter(([, response]) => !codesOf(response).every((code) => unreachable.has(code)))
          .map(([status]) => `${operationId} ${status}`),
      )
      .filter((pair) => !this.#met.has(pair))
  }

  #find(method: string, path: string): LiveOperation | null {
    const matches = this.#schemas.operations.filter((one) => one.method === method && one.pattern.test(path))
    // A path without parameters takes precedence over one with parameters.
    return matches.find((operation) => !operation.path.includes('{')) ?? matches[0] ?? null
  }

  #validator({ operationId, path, method }: LiveOperation, status: number, type: string): ValidateFunction {
    const known = this.#schemas.validators.get(`${operationId} ${status} ${type}`)
    if (known !== undefined) return known
    const keys = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
    const pointer = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    const validate = this.#schemas.ajv.compile({ $ref: `openapi.json#/${pointer}` })
    this.#schemas.validators.set(`${operationId} ${status} ${type}`, validate)
    return validate
  }

  /** For text that is not the body of an answer. */
  checkNamed(schema: string, value: unknown): void {
    const validate = this.#schemas.ajv.compile({ $ref: `openapi.json#/components/schemas/${schema}` })
    if (!validate(value))
      this.#violate(`${schema}: ${this.#schemas.ajv.errorsText(validate.errors)} ${JSON.stringify(value)}`)
  }

  #violate(text: string): void {
    this.violations.push(text)
  }
}

function bodiesOf(type: string, text: string): unknown[] {
  if (type === 'application/x-ndjson')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown)
  return [type.endsWith('json') ? (JSON.parse(text) as unknown) : text]
}

/** The codes of a problem; for any other answer one placeholder. */
function codesOf({ content }: LiveOperation['responses'][string]): readonly string[] {
  const schema = content?.['application/problem+json'] as
    { schema: { allOf: [unknown, { properties: { code: { enum: string[] } } }] } } | undefined
  return schema?.schema.allOf[1].properties.code.enum ?? ['success']
}
