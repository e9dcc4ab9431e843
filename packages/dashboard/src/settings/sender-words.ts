import type { AdviceKind } from '@spoor/contract/senders'

interface AdviceWords {
  /** What is missing. */
  readonly found: string
  /** What to do about it; attributes and commands in backquotes. */
  readonly set: string
  /** The same for what has the fields of the API: steps sent as JSON, and recorders of Spoor. */
  readonly setInFields?: string
  /** The page of the guide, below docs/guide of the repository. */
  readonly guide: string
}

const SENDERS = 'senders.md'

export const ADVICE_WORDS: Readonly<Record<AdviceKind, AdviceWords>> = {
  type: {
    found: 'Names a model or counts tokens, but does not say what it does.',
    set: 'Set `gen_ai.operation.name` to `chat`, `embeddings`, `execute_tool` or `invoke_agent`.',
    setInFields: 'Set the `type` of the step: `llm`, `tool`, `embedding`, `agent` …',
    guide: SENDERS,
  },
  content: {
    found: 'Looks like a text or data of the agent, and stayed in the metadata.',
    set: 'Put it into `gen_ai.input.messages` and `gen_ai.output.messages`, or `input.value` and `output.value`.',
    setInFields: 'Put it into the `messages` of the step.',
    guide: 'message-forms.md',
  },
  tokens: {
    found: 'Calls of a model without tokens, so they have no cost.',
    set: 'Set `gen_ai.usage.input_tokens` and `gen_ai.usage.output_tokens`. For streamed calls of OpenAI, send `stream_options: {include_usage: true}`.',
    setInFields: 'Set the `token_usage` of the step.',
    guide: SENDERS,
  },
  model: {
    found: 'Calls of a model that do not name the model, so they have no cost.',
    set: 'Set `gen_ai.request.model` or `gen_ai.response.model`.',
    setInFields: 'Set the `model` of the step.',
    guide: SENDERS,
  },
  price: {
    found: 'Tokens of a model without a price.',
    set: 'Add a price, or give all vendors newer ones with `spoor prices update FILE`.',
    guide: 'prices.md',
  },
  arguments: {
    found: 'Calls of a tool without arguments.',
    set: 'Set `gen_ai.tool.call.arguments` or `input.value`. Many SDKs need a setting to record content.',
    setInFields: 'Set `messages`: a message with role `assistant` has the arguments.',
    guide: SENDERS,
  },
  result: {
    found: 'Calls of a tool without a result.',
    set: 'Set `gen_ai.tool.call.result` or `output.value`. Many SDKs need a setting to record content.',
    setInFields: 'Set `messages`: a message with role `tool` has the result.',
    guide: SENDERS,
  },
  text: {
    found: 'Calls of a model without a text.',
    set: 'Set `gen_ai.input.messages` and `gen_ai.output.messages`. Many SDKs need a setting to record content.',
    setInFields: 'Set the `messages` of the step.',
    guide: SENDERS,
  },
}
