/** A model service that the operator names: OpenAI's API, or another service that implements it. */
export interface ModelEndpointConfig {
  readonly url: string
  readonly model: string
  /** Null: the service needs none. */
  readonly apiKey: string | null
}

type Values = ReadonlyMap<string, string | number | null>

/** The purposes of endpoints, as in the names of their settings. */
const PARTS = ['EMBEDDINGS', 'NAMING'] as const
type Part = (typeof PARTS)[number]

/** Null when no URL is set. */
export function toModelEndpoint(values: Values, part: Part): ModelEndpointConfig | null {
  const text = (name: string) => String(values.get(`SPOOR_${part}_${name}`) ?? '')
  const url = text('URL')
  return url === '' ? null : { url, model: text('MODEL'), apiKey: text('API_KEY') || null }
}

/**
 * A missing model, and settings that have no effect because the URL is missing. `given` has the settings of the user,
 * under the names that the user typed.
 */
export function findModelEndpointProblems(
  values: Values,
  given: ReadonlyMap<string, { readonly source: string }>,
): string[] {
  return PARTS.flatMap((part) => {
    const [url, model, apiKey] = ['URL', 'MODEL', 'API_KEY'].map((name) => `SPOOR_${part}_${name}`) as [
      string,
      string,
      string,
    ]
    if (toModelEndpoint(values, part) !== null) return given.has(model) ? [] : [`${url} needs ${model}`]
    return [model, apiKey].flatMap((name) => {
      const source = given.get(name)?.source
      return source === undefined ? [] : [`${source} has no effect without ${url}`]
    })
  })
}
