import type { ClusterNamer, GivenName, NamingQuestion } from '@spoor/clustering/naming/cluster-namer'
import { postWithRetries, type EndpointDependencies, type RetryLimits } from './post-with-retries.ts'
import { EndpointFailure } from '../clusters/discovery/endpoint-failure.ts'
import { addressOf, type ModelEndpoint } from './model-endpoint.ts'
import { namingMessages } from './naming-prompt.ts'
import { parseName } from './parse-name.ts'

const TIMEOUT_MS = 30_000
const MOST_ANSWER_BYTES = 256 * 1024
/** A name is optional, so a run does not wait long for one. */
const PATIENCE: RetryLimits = { tries: 3, totalMs: 45_000 }
/** Enough for models that reason before they answer; a name has some 60. */
const MOST_TOKENS = 1024
/** Self-hosted servers only know the older name; newer models of OpenAI refuse it and require the other one. */
const OLDER_NAME = 'max_tokens'
const NEWER_NAME = 'max_completion_tokens'

/** Names of an endpoint that implements OpenAI's `POST /v1/chat/completions`. Rejects with EndpointFailure. */
export class OpenAiNamer implements ClusterNamer {
  readonly model: string
  readonly #endpoint: ModelEndpoint
  readonly #dependencies: EndpointDependencies
  /** The endpoint's name for the token limit. */
  #limitName: string = OLDER_NAME

  constructor(endpoint: ModelEndpoint, dependencies: EndpointDependencies) {
    this.model = endpoint.model
    this.#endpoint = endpoint
    this.#dependencies = dependencies
  }

  async name(question: NamingQuestion): Promise<GivenName> {
    const limitName = this.#limitName
    try {
      return await this.#ask(question, limitName)
    } catch (error) {
      const isRenamed = error instanceof EndpointFailure && error.message.includes(NEWER_NAME)
      if (!isRenamed || limitName === NEWER_NAME) throw error
      this.#limitName = NEWER_NAME
      return this.#ask(question, NEWER_NAME)
    }
  }

  async #ask(question: NamingQuestion, limitName: string): Promise<GivenName> {
    // Neither temperature nor response format: some models refuse these parameters.
    const messages = namingMessages(question)
    const post = {
      address: addressOf(this.#endpoint, 'chat/completions'),
      apiKey: this.#endpoint.apiKey,
      body: JSON.stringify({ model: this.model, messages, [limitName]: MOST_TOKENS, stream: false }),
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_ANSWER_BYTES,
    }
    return parseName(await postWithRetries(this.#dependencies, 'naming', post, PATIENCE))
  }
}
