import type { TextEmbedder, Tries } from '@spoor/clustering/embedding/text-embedder'
import { inParallel } from '../lib/flow/in-parallel.ts'
import { postWithRetries, type EndpointDependencies, type RetryLimits } from './post-with-retries.ts'
import { invalidAnswer } from './endpoint-failures.ts'
import { addressOf, type ModelEndpoint, sourceOf } from './model-endpoint.ts'
import { parseVectors } from './parse-vectors.ts'

/** The smallest default batch limit of known servers. */
const MOST_TEXTS = 32
/** UTF-8, without the overhead of JSON. */
const MOST_TEXT_BYTES = 96 * 1024
const MOST_AT_ONCE = 4
/** A server without a graphics card needs this long for a batch. */
const TIMEOUT_MS = 60_000
/** 32 vectors of 8,192 numbers, each on its own line. */
const MOST_ANSWER_BYTES = 16 * 1024 * 1024
const PATIENCE: Readonly<Record<Tries, RetryLimits>> = {
  many: { tries: 6, totalMs: 120_000 },
  one: { tries: 1, totalMs: TIMEOUT_MS },
}

/** Vectors of an endpoint that implements OpenAI's `POST /v1/embeddings`. Rejects with EndpointFailure. */
export class OpenAiEmbedder implements TextEmbedder {
  readonly source: string
  readonly model: string
  readonly #endpoint: ModelEndpoint
  readonly #dependencies: EndpointDependencies

  constructor(endpoint: ModelEndpoint, dependencies: EndpointDependencies) {
    this.source = sourceOf(endpoint, 'embeddings')
    this.model = endpoint.model
    this.#endpoint = endpoint
    this.#dependencies = dependencies
  }

  async embed(texts: readonly string[], tries: Tries): Promise<readonly Float32Array[]> {
    const vectors = (await inParallel(inBatches(texts), MOST_AT_ONCE, (batch) => this.#ask(batch, tries))).flat()
    if (vectors.some(({ length }) => length !== vectors[0]!.length)) {
      throw invalidAnswer('embedding', 'answered with vectors of different lengths')
    }
    return vectors
  }

  async #ask(texts: readonly string[], tries: Tries): Promise<Float32Array[]> {
    const post = {
      address: addressOf(this.#endpoint, 'embeddings'),
      apiKey: this.#endpoint.apiKey,
      body: JSON.stringify({ model: this.model, input: texts, encoding_format: 'float' }),
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_ANSWER_BYTES,
    }
    const body = await postWithRetries(this.#dependencies, 'embedding', post, PATIENCE[tries])
    return parseVectors(body, texts.length)
  }
}

/** Split by number and bytes; a text that is too large for a batch is one of its own. */
function inBatches(texts: readonly string[]): string[][] {
  const batches: string[][] = []
  let room = 0
  for (const text of texts) {
    const bytes = Buffer.byteLength(text)
    const last = batches.at(-1)
    if (last === undefined || last.length === MOST_TEXTS || bytes > room) {
      batches.push([text])
      room = MOST_TEXT_BYTES - bytes
    } else {
      last.push(text)
      room -= bytes
    }
  }
  return batches
}
