/** The parts of OpenAPI 3.1 that the service uses. https://spec.openapis.org/oas/v3.1.1.html */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Record<string, PathItem>
  /** The requests that the service sends, by event type. */
  readonly webhooks: Record<string, PathItem>
  readonly components: {
    readonly schemas: Record<string, JsonSchema>
    readonly securitySchemes: Record<string, SecurityScheme>
  }
}

/** A plain JSON Schema 2020-12 object. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** Operations by lower-case method. */
export type PathItem = Partial<Record<'get' | 'head' | 'post' | 'put' | 'patch' | 'delete', OperationObject>>

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  /** Alternatives, each with the scopes it needs. Empty: public. */
  readonly security: readonly Record<string, readonly string[]>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: Record<string, ResponseObject>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly style?: 'form'
  readonly explode?: true
  readonly schema: JsonSchema
}

export interface RequestBody {
  readonly required: true
  readonly description: string
  readonly content: Record<string, MediaType>
}

export interface MediaType {
  readonly schema: JsonSchema
  readonly examples?: Record<string, { readonly summary: string; readonly value: unknown }>
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Record<string, { readonly description: string; readonly schema: JsonSchema }>
  readonly content?: Record<string, MediaType>
}

type SecurityScheme = { readonly description: string } & (
  | { readonly type: 'apiKey'; readonly in: 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'http'; readonly scheme: 'bearer' }
)
