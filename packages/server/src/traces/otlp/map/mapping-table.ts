/**
 * Which attribute of a span becomes which field. Of several names, the left one wins. Senders: recorders of Spoor
 * (`spoor.`), AI SDK (`ai.`), OpenInference (`llm.`, `openinference.`, `input.`, `output.`), OpenLLMetry
 * (`traceloop.`), Langfuse, Laminar (`lmnr.`), LangSmith, Mastra, Claude Code, and the semantic conventions of
 * generative AI (`gen_ai.`), old and new.
 */

/** Of a span that is the trace itself, and no step: `trace`. */
export const SPAN_KIND = 'spoor.span.kind'

export interface RecordedField {
  readonly attribute: string
  /** The field of the body that it is in the API of Spoor. */
  readonly field: string
  /** Its value is a text of JSON. */
  readonly isJson: boolean
}

/** What recorders of Spoor send: fields of the API, validated as there. They win over all other names. */
export const RECORDED_STEP: readonly RecordedField[] = [
  { attribute: 'spoor.step.type', field: 'type', isJson: false },
  { attribute: 'spoor.step.model', field: 'model', isJson: false },
  { attribute: 'spoor.step.messages', field: 'messages', isJson: true },
  { attribute: 'spoor.step.usage', field: 'token_usage', isJson: true },
  { attribute: 'spoor.step.metadata', field: 'metadata', isJson: true },
  { attribute: 'spoor.step.error', field: 'error', isJson: true },
  { attribute: 'spoor.step.attachments', field: 'attachments', isJson: true },
]

/** The same for the trace, on any of its spans. */
export const RECORDED_TRACE: readonly RecordedField[] = [
  { attribute: 'spoor.trace.name', field: 'name', isJson: false },
  { attribute: 'spoor.trace.run_type', field: 'run_type', isJson: false },
  { attribute: 'spoor.trace.session_id', field: 'session_id', isJson: false },
  { attribute: 'spoor.trace.user_id', field: 'user_id', isJson: false },
  { attribute: 'spoor.trace.metadata', field: 'metadata', isJson: true },
]

/** Names that people give to a trace, on any of its spans. */
export const TRACE_NAME = ['langfuse.trace.name', 'langsmith.trace.name', 'traceloop.workflow.name'] as const

export const AGENT_NAME = 'gen_ai.agent.name'
export const FUNCTION_ID = 'ai.telemetry.functionId'

export const OPERATION = 'gen_ai.operation.name'

/** The operation of the root is the run type. */
export const RUN_TYPE_OF_OPERATION: Readonly<Record<string, string>> = {
  invoke_agent: 'agent',
  invoke_workflow: 'workflow',
  chat: 'chat',
}
export const EXPERIMENT = 'langfuse.experiment.id'

export const SESSION_ID = [
  'langfuse.session.id',
  'session.id',
  'mastra.metadata.sessionId',
  'gen_ai.conversation.id',
  'ai.telemetry.metadata.sessionId',
  'ai.telemetry.metadata.session_id',
  'traceloop.association.properties.session_id',
  'lmnr.association.properties.session_id',
  'langsmith.trace.session_id',
  // Its threads.
  'langsmith.metadata.thread_id',
  'langsmith.metadata.session_id',
  'langsmith.metadata.conversation_id',
] as const

export const USER_ID = [
  'langfuse.user.id',
  'user.id',
  'enduser.id',
  'ai.telemetry.metadata.userId',
  'traceloop.association.properties.user_id',
  'lmnr.association.properties.user_id',
  'mastra.metadata.userId',
  'mastra.metadata.resourceId',
] as const

/** Every attribute with the prefix is one key of the trace's metadata. */
export const METADATA_PREFIXES = [
  'langfuse.trace.metadata.',
  'langsmith.metadata.',
  'ai.telemetry.metadata.',
  'traceloop.association.properties.',
  'lmnr.association.properties.',
] as const
/** The same on runs of agents and workflows: on other spans, Mastra puts HTTP headers and bodies there. */
export const MASTRA_METADATA = 'mastra.metadata.'
/** Keys that Mastra itself sets. */
export const MASTRA_OWN_METADATA: ReadonlySet<string> = new Set(['runId', 'threadId'])
export const MASTRA_TYPE = 'mastra.span.type'
export const MASTRA_RUNS: ReadonlySet<string> = new Set(['agent_run', 'workflow_run'])
/** A JSON object, as text or as a value, whose members are keys of the trace's metadata. */
export const METADATA_OBJECTS = ['langfuse.trace.metadata', 'metadata'] as const
export const TAGS = [
  'langfuse.trace.tags',
  'tag.tags',
  'langsmith.span.tags',
  'lmnr.association.properties.tags',
  'mastra.tags',
] as const

/** Of the resource, or of the span, to keys of the trace's metadata. */
export const METADATA_FIELDS: readonly (readonly [key: string, names: readonly string[]])[] = [
  ['service.name', ['service.name']],
  ['version', ['service.version']],
  ['env', ['deployment.environment.name', 'langfuse.environment', 'deployment.environment']],
  ['langfuse.release', ['langfuse.release']],
]

export const STEP_NAME = ['gen_ai.tool.name', 'ai.toolCall.name', 'tool.name', 'traceloop.entity.name'] as const

export const MODEL = [
  'langfuse.observation.model.name',
  'gen_ai.response.model',
  'llm.response.model_name',
  'ai.response.model',
  'ai.model.id',
  'gen_ai.request.model',
  'llm.model_name',
  'embedding.model_name',
] as const

/** One rule says what a span must have to be a step of a type. */
export type TypeRule =
  | { readonly name: string; readonly is: readonly string[] }
  | { readonly name: string; readonly endsWith: readonly string[] }
  | { readonly present: string }
  | { readonly spanName: string }

const KIND = 'openinference.span.kind'

/** The first type of which one rule holds. Values are compared without regard to case. */
export const STEP_TYPES: readonly (readonly [type: string, rules: readonly TypeRule[]])[] = [
  [
    'llm',
    [
      { name: KIND, is: ['LLM'] },
      { name: OPERATION, is: ['chat', 'text_completion', 'generate_content'] },
      { name: 'langfuse.observation.type', is: ['generation'] },
      { name: 'ai.operationId', endsWith: ['.doGenerate', '.doStream'] },
      { present: 'llm.request.type' },
      { name: 'langsmith.span.kind', is: ['llm'] },
      { name: 'lmnr.span.type', is: ['LLM'] },
      { spanName: 'claude_code.llm_request' },
    ],
  ],
  [
    'tool',
    [
      { name: KIND, is: ['TOOL'] },
      { name: OPERATION, is: ['execute_tool'] },
      { name: 'ai.operationId', is: ['ai.toolCall'] },
      { name: 'traceloop.span.kind', is: ['tool'] },
      { present: 'gen_ai.tool.name' },
      { name: 'mcp.method.name', is: ['tools/call'] },
      { spanName: 'claude_code.tool' },
      { name: 'langfuse.observation.type', is: ['tool'] },
      { name: 'langsmith.span.kind', is: ['tool'] },
      { name: 'lmnr.span.type', is: ['TOOL'] },
    ],
  ],
  [
    'retrieval',
    [
      { name: KIND, is: ['RETRIEVER'] },
      { name: OPERATION, is: ['retrieval'] },
      { name: 'langfuse.observation.type', is: ['retriever'] },
      { name: 'langsmith.span.kind', is: ['retriever'] },
    ],
  ],
  [
    'embedding',
    [
      { name: KIND, is: ['EMBEDDING'] },
      { name: OPERATION, is: ['embeddings'] },
      { name: 'ai.operationId', endsWith: ['.doEmbed'] },
      { name: 'langfuse.observation.type', is: ['embedding'] },
    ],
  ],
  [
    'rerank',
    [
      { name: KIND, is: ['RERANKER'] },
      { name: OPERATION, is: ['rerank'] },
    ],
  ],
  [
    'agent',
    [
      { name: KIND, is: ['AGENT'] },
      { name: OPERATION, is: ['invoke_agent', 'create_agent', 'agent_step'] },
      { name: 'langfuse.observation.type', is: ['agent'] },
      { present: 'pydantic_ai.all_messages' },
      { present: 'all_messages_events' },
      { name: 'traceloop.span.kind', is: ['agent'] },
    ],
  ],
  [
    'chain',
    [
      { name: KIND, is: ['CHAIN'] },
      { name: OPERATION, is: ['invoke_workflow', 'plan', 'model_generation', 'workflow_step'] },
      { name: 'langfuse.observation.type', is: ['chain'] },
      { name: 'traceloop.span.kind', is: ['workflow', 'task'] },
      { name: 'langsmith.span.kind', is: ['chain'] },
    ],
  ],
  [
    'guardrail',
    [
      { name: KIND, is: ['GUARDRAIL'] },
      { name: 'langfuse.observation.type', is: ['guardrail'] },
    ],
  ],
  [
    'evaluator',
    [
      { name: KIND, is: ['EVALUATOR'] },
      { name: 'langfuse.observation.type', is: ['evaluator'] },
    ],
  ],
]

/** Types whose answers state the usage of the step. What other steps return may be anything. */
export const TYPES_WITH_USAGE: ReadonlySet<string> = new Set(['llm', 'embedding', 'rerank'])

/** Scopes whose input leaves cached tokens out, whatever total they give. */
export const LEAVES_CACHED_OUT = /^@(traceloop|openlit)\/instrumentation-(anthropic|bedrock)/
/** It does so with these models alone. */
export const STRANDS = { scope: /^strands/, models: /claude/i }

export const TOTAL_TOKENS = [
  'gen_ai.usage.total_tokens',
  'llm.token_count.total',
  'ai.usage.totalTokens',
  'llm.usage.total_tokens',
] as const

export const INPUT_TOKENS = [
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'llm.token_count.prompt',
  'ai.usage.inputTokens',
  'ai.usage.promptTokens',
  'ai.usage.tokens',
] as const

export const OUTPUT_TOKENS = [
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.token_count.completion',
  'ai.usage.outputTokens',
  'ai.usage.completionTokens',
] as const

export const CACHE_READ_TOKENS = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'llm.token_count.prompt_details.cache_read',
  'ai.usage.cachedInputTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
] as const

export const CACHE_WRITE_TOKENS = [
  'gen_ai.usage.cache_write.input_tokens',
  'gen_ai.usage.cache_write_input_tokens',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_creation_input_tokens',
  'llm.token_count.prompt_details.cache_write',
  'ai.usage.inputTokenDetails.cacheWriteTokens',
] as const

export const REASONING_TOKENS = [
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.reasoning_tokens',
  'codex.usage.reasoning_output_tokens',
  'llm.token_count.completion_details.reasoning',
  'ai.usage.reasoningTokens',
  'ai.usage.outputTokenDetails.reasoningTokens',
] as const

export const CACHE_WRITE_HOUR_TOKENS = ['anthropic.usage.cache_creation.ephemeral_1h_input_tokens'] as const
export const AUDIO_INPUT_TOKENS = ['llm.token_count.prompt_details.audio'] as const
export const AUDIO_OUTPUT_TOKENS = ['llm.token_count.completion_details.audio'] as const

/** US dollars. */
export const COST = [
  'gen_ai.usage.cost',
  'gen_ai.usage.total_cost',
  'gen_ai.cost.total_cost',
  'operation.cost',
  'llm.cost.total',
] as const
/** A JSON object of costs by kind, as text; `total` is their sum. */
export const LANGFUSE_COST = 'langfuse.observation.cost_details'

/** JSON objects, as text, that are the usage of a payload. */
export const USAGE_OBJECTS = [
  'langsmith.usage_metadata',
  'langsmith.metadata.usage_metadata',
  'mlflow.chat.tokenUsage',
] as const
/** A JSON object, as text: by provider, what it told beside the answer. */
export const PROVIDER_METADATA = 'ai.response.providerMetadata'
/** Only AI SDK 6 tells it; then its input includes cached tokens. */
export const FRESH_TOKENS = 'ai.usage.inputTokenDetails.noCacheTokens'

/**
 * A JSON object, as text, that a program may set to correct its instrumentation. Without a total, its input leaves the
 * cached tokens out and its output the reasoning.
 */
export const LANGFUSE_USAGE = 'langfuse.observation.usage_details'
/** Members of that object. */
export const LANGFUSE_USAGE_FIELDS = {
  input: ['input', 'prompt_tokens', 'input_tokens'],
  output: ['output', 'completion_tokens', 'output_tokens'],
  cacheRead: ['cache_read_input_tokens', 'input_cached_tokens', 'input_cache_read'],
  cacheWrite: ['cache_creation_input_tokens', 'input_cache_creation'],
  reasoning: ['output_reasoning_tokens', 'output_reasoning'],
} as const

/** Spans of Claude Code have attributes without a prefix. Its input leaves the cached tokens out. */
export const CLAUDE_CODE_SPAN = 'claude_code.'
export const CLAUDE_CODE_MODEL = ['model'] as const
export const CLAUDE_CODE_USAGE_FIELDS = {
  input: ['input_tokens'],
  output: ['output_tokens'],
  cacheRead: ['cache_read_tokens', 'cache_read_input_tokens'],
  cacheWrite: ['cache_creation_tokens', 'cache_creation_input_tokens'],
  reasoning: [],
} as const

/** The event that carries messages in place of the span. */
export const DETAILS_EVENT = 'gen_ai.client.inference.operation.details'

/** The system prompt, where it is no message. */
export const INSTRUCTIONS = [
  'gen_ai.system_instructions',
  'langfuse.observation.metadata.instructions',
  'system_prompt',
] as const

/** A whole conversation, with the answer at its end. */
export const CONVERSATION = ['pydantic_ai.all_messages', 'all_messages_events', 'events'] as const

/** Whole inputs and outputs, for spans without messages of their own. */
export const INPUT = [
  'ai.prompt.messages',
  'ai.prompt',
  'langfuse.observation.input',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.input',
  'ai.toolCall.args',
  'tool_arguments',
  'input.value',
  'traceloop.entity.input',
  'lmnr.span.input',
  'mastra.agent_run.input',
  'mastra.workflow_run.input',
  'mastra.workflow_step.input',
  'mastra.model_generation.input',
  'mastra.model_step.input',
  'gen_ai.prompt',
  'gcp.vertex.agent.tool_call_args',
  'gcp.vertex.agent.llm_request',
  'genkit:input',
  'mlflow.spanInputs',
  'llm.messages',
  'request_data',
  'user_prompt',
  'langfuse.trace.input',
] as const
/** Names that anything may have. They are read on spans that have one of these attributes of VoltAgent. */
export const BARE = { input: 'input', output: 'output', on: ['entity.type', 'span.type'] } as const
export const OUTPUT = [
  'langfuse.observation.output',
  'gen_ai.tool.call.result',
  'gen_ai.tool.output',
  'ai.toolCall.result',
  'tool_response',
  'output.value',
  'traceloop.entity.output',
  'lmnr.span.output',
  'mastra.agent_run.output',
  'mastra.workflow_run.output',
  'mastra.workflow_step.output',
  'mastra.model_generation.output',
  'mastra.model_step.output',
  'gen_ai.completion',
  'gcp.vertex.agent.tool_response',
  'gcp.vertex.agent.llm_response',
  'genkit:output',
  'mlflow.spanOutputs',
  'response_data',
  'final_result',
  'langfuse.trace.output',
] as const

export const ERROR_TYPE = ['error.type'] as const
export const LANGFUSE_LEVEL = 'langfuse.observation.level'
export const LANGFUSE_STATUS_MESSAGE = 'langfuse.observation.status_message'

/**
 * A span with an attribute that begins like one of these is about agents and models. Attributes that a processor
 * sets on every span (`langfuse.trace.`, `traceloop.association.`, `session.id`) are not among them.
 */
export const AGENT_ATTRIBUTES = [
  'spoor.',
  'gen_ai.',
  'openinference.',
  'llm.',
  'embedding.',
  'ai.',
  'traceloop.span.kind',
  'traceloop.entity.',
  'langfuse.observation.',
  'langsmith.span.',
  'lmnr.span.',
  'mcp.',
  'annotations.',
] as const

/** Scopes whose spans are all about agents and models. */
export const AGENT_SCOPES =
  /^(spoor$|ai$|@?langfuse|langsmith|lmnr|@?mastra|@?arizeai|openinference|@?traceloop|com\.anthropic\.claude_code|strands|pydantic.ai|crewai|autogen|smolagents|agno|haystack|llama.?index|langchain|opentelemetry\.instrumentation\.(openai|anthropic|bedrock|cohere|google|groq|langchain|llamaindex|mcp|mistral|ollama|vertexai|crewai|haystack)\b)/i
