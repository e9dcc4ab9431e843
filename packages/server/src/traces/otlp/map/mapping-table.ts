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

/** The name that people give to a trace, on any of its spans. */
export const TRACE_NAME = 'langfuse.trace.name'
/** Names of a root, better than that of its span. On other spans they name the trace until its root has come. */
export const ROOT_NAMES = ['langsmith.trace.name', 'traceloop.workflow.name'] as const
export const AGENT_NAME = 'gen_ai.agent.name'
export const FUNCTION_ID = 'ai.telemetry.functionId'
/** Roots that are called alike in all traces: the first line of the prompt, or a span below, says more. */
export const ALIKE_ROOTS: ReadonlySet<string> = new Set(['invocation', 'claude_code.interaction'])
export const PROMPT = 'user_prompt'

export const OPERATION = 'gen_ai.operation.name'

/** The operation of the root is the run type. */
export const RUN_TYPE_OF_OPERATION: ReadonlyMap<string, string> = new Map([
  ['invoke_agent', 'agent'],
  ['invoke_workflow', 'workflow'],
  ['chat', 'chat'],
])
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
  'conversation.id',
  'gcp.vertex.agent.session_id',
  'genkit:sessionId',
  'mlflow.trace.session',
  // Of Opik.
  'thread_id',
] as const

export const USER_ID = [
  'langfuse.user.id',
  'user.id',
  'enduser.id',
  'gen_ai.user.id',
  'ai.telemetry.metadata.userId',
  'traceloop.association.properties.user_id',
  'lmnr.association.properties.user_id',
  'mastra.metadata.userId',
  'mastra.metadata.resourceId',
  'ai.telemetry.metadata.user_id',
  'langsmith.metadata.user_id',
  'mlflow.trace.user',
] as const

/** Every attribute with the prefix is one key of the trace's metadata. */
export const METADATA_PREFIXES = [
  'langfuse.trace.metadata.',
  'langsmith.metadata.',
  'ai.telemetry.metadata.',
  'traceloop.association.properties.',
  'lmnr.association.properties.metadata.',
  'lmnr.association.properties.',
  'opik.metadata.',
] as const
/** Keys that senders set themselves: they stay on the step. */
export const NOT_OF_USERS =
  /^(usage_metadata|trace_type|versions|ls_.+|LANGSMITH_.+|langgraph_.+|checkpoint_ns|__pregel.+)$/
/** The same on runs of agents and workflows: on other spans, Mastra puts HTTP headers and bodies there. */
export const MASTRA_METADATA = 'mastra.metadata.'
/** Keys that Mastra itself sets. */
export const MASTRA_OWN_METADATA: ReadonlySet<string> = new Set(['runId', 'threadId'])
export const MASTRA_TYPE = 'mastra.span.type'
export const MASTRA_RUNS: ReadonlySet<string> = new Set(['agent_run', 'workflow_run'])
/** A JSON object, as text or as a value, whose members are keys of the trace's metadata. */
export const METADATA_OBJECTS = ['langfuse.trace.metadata', 'metadata'] as const
/** Such keys that are session and user of senders that have no others, as LangGraph with OpenInference. */
export const SESSION_KEYS = ['session_id', 'thread_id', 'conversation_id'] as const
export const USER_KEYS = ['user_id'] as const
export const TAGS = [
  'langfuse.trace.tags',
  'tag.tags',
  'langsmith.span.tags',
  'lmnr.association.properties.tags',
  'mastra.tags',
  'logfire.tags',
  'braintrust.tags',
  'opik.tags',
] as const

/** What SDKs write without a name of the service. */
export const UNNAMED_SERVICE = /^unknown_service\b/
/** Of the resource, or of the span, to keys of the trace's metadata. */
export const METADATA_FIELDS: readonly (readonly [key: string, names: readonly string[]])[] = [
  ['service.name', ['service.name']],
  ['version', ['service.version']],
  ['env', ['deployment.environment.name', 'langfuse.environment', 'deployment.environment']],
  ['langfuse.release', ['langfuse.release']],
]

export const STEP_NAME = ['traceloop.entity.name'] as const
export const TOOL_NAME = 'gen_ai.tool.name'
/** On steps of tools only: senders name the tool on calls of models and on hooks too. */
export const NAMES_OF_TOOL = [TOOL_NAME, 'ai.toolCall.name', 'tool.name', 'tool_name', ...STEP_NAME] as const
/** The id of the call that a step of a tool answers. */
export const CALL_ID = [
  'gen_ai.tool.call.id',
  'ai.toolCall.id',
  'mastra.metadata.toolCallId',
  'langsmith.metadata.tool_call_id',
  'gen_ai.tool.call_id',
  'tool.call.id',
  'tool.call_id',
  'tool.id',
  'tool_call_id',
  'tool_use_id',
  'call_id',
] as const

export const MODEL = [
  'langfuse.observation.model.name',
  'gen_ai.response.model',
  'llm.response.model_name',
  'ai.response.model',
  'ai.model.id',
  'ai.model.name',
  'gen_ai.request.model',
  'llm.model_name',
  'embedding.model_name',
] as const
/** Further ones on calls of models. */
export const MODELS_OF_CALL = [
  ...MODEL,
  'genkit:name',
  'llm.model',
  'mlflow.llm.model',
  'braintrust.metadata.model',
  'langsmith.metadata.ls_model_name',
  'model',
] as const

/** Attributes that say what kind of step a span is. The first whose value is a known kind counts. */
export const KINDS = [
  'openinference.span.kind',
  'langfuse.observation.type',
  'langsmith.span.kind',
  'lmnr.span.type',
  'mlflow.spanType',
  'opik.span.type',
  'agentops.span.kind',
  'ag2.span.type',
  'genkit:metadata:subtype',
  'genkit:type',
  'gen_ai.operation.name',
  // The kind of a tool of LangChain is a task.
  'traceloop.span.kind',
  'mcp.method.name',
  'llm.request.type',
  'span.type',
] as const
/** A JSON object whose member `type` is such a kind. */
export const KIND_OBJECT = 'braintrust.span_attributes'
/** A JSON object whose member `model` is the model of a call. */
export const MODEL_OBJECT = 'braintrust.metadata'

/** Kinds by type, in small letters, with `_` for each run of other characters. */
export const KINDS_OF_TYPES: Readonly<Record<string, string>> = {
  llm: 'llm,chat,completion,text_completion,generation,generate_content,chat_model,model,llm_call,llm_request',
  tool: 'tool,tool_v2,function,execute_tool,tool_call,tools_call',
  retrieval: 'retrieval,retriever',
  embedding: 'embedding,embeddings,embedder',
  rerank: 'rerank,reranker',
  agent: 'agent,invoke_agent,create_agent,agent_step',
  chain:
    'chain,workflow,task,flow,prompt,executable_prompt,parser,util,plan,invoke_workflow,workflow_step,model_generation,schedule_tool_calls,conversation',
  guardrail: 'guardrail',
  evaluator: 'evaluator,score',
}

/** Operations of AI SDK end so; all others are around these. */
export const AI_OPERATIONS: readonly (readonly [end: string, type: string])[] = [
  ['.doGenerate', 'llm'],
  ['.doStream', 'llm'],
  ['.doEmbed', 'embedding'],
  ['.doRerank', 'rerank'],
  ['.toolCall', 'tool'],
  ['', 'chain'],
]

/** The first of these attributes that a span has. */
export const TYPES_BY_ATTRIBUTES: readonly (readonly [attribute: string, type: string])[] = [
  [TOOL_NAME, 'tool'],
  ['pydantic_ai.all_messages', 'agent'],
  ['all_messages_events', 'agent'],
]
/** OpenLLMetry reports every call inside LlamaIndex as a task. The name of the span ends with the method. */
export const TASK = { kind: 'traceloop.span.kind', value: 'task' } as const
export const TYPES_OF_TASKS: readonly (readonly [end: RegExp, type: string])[] = [
  [/\.retrieve$/, 'retrieval'],
  [/\.get_(?:query|text)_embeddings?$/, 'embedding'],
]
/** ADK makes one more span for calls that ran at once. */
export const MERGED_TOOLS = '(merged tools)'
/**
 * Names of spans that have no kind: of Claude Code, of Qwen Code, whose tools contain one more span, of ADK, and of
 * Codex, where others of that name have no usage.
 */
export const TYPES_BY_NAMES: ReadonlyMap<string, readonly [type: string, attribute?: string]> = new Map([
  ['claude_code.llm_request', ['llm']],
  ['claude_code.tool', ['tool']],
  ['qwen-code.tool.execution', ['chain']],
  ['call_llm', ['llm', 'gcp.vertex.agent.llm_request']],
  ['handle_responses', ['llm', 'gen_ai.usage.input_tokens']],
])
/** A span that has the name of a tool and the id of a call beside its own name, as Codex sends it, is that call. */
export const TOOL_OF_SPAN = { name: 'tool_name', call: 'call_id' } as const
/** Beside a model: a span with usage is a call of the model, whatever its operation is called. */
export const USAGE = ['gen_ai.usage.', 'llm.token_count.', 'llm.usage.'] as const

/** Types whose answers state the usage of the step. What other steps return may be anything. */
export const TYPES_WITH_USAGE: ReadonlySet<string> = new Set(['llm', 'embedding', 'rerank'])

/** Scopes whose input leaves cached tokens out, whatever total they give. */
export const LEAVES_CACHED_OUT = /^@(traceloop|openlit)\/instrumentation-(anthropic|bedrock)/
/** It does so with these models alone. */
export const STRANDS = { scope: /^strands/, models: /claude/i }

/** The answer as the provider wrote it, in OpenInference. */
export const RAW_OUTPUT = 'output.value'

export const TOTAL_TOKENS = [
  'gen_ai.usage.total_tokens',
  'llm.token_count.total',
  'ai.usage.totalTokens',
  'llm.usage.total_tokens',
  'usage.total_tokens',
] as const

export const INPUT_TOKENS = [
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'llm.token_count.prompt',
  'ai.usage.inputTokens',
  'ai.usage.promptTokens',
  'ai.usage.tokens',
  'llm.usage.prompt_tokens',
  'braintrust.metrics.prompt_tokens',
  'usage.prompt_tokens',
] as const

export const OUTPUT_TOKENS = [
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.token_count.completion',
  'ai.usage.outputTokens',
  'ai.usage.completionTokens',
  'llm.usage.completion_tokens',
  'braintrust.metrics.completion_tokens',
  'usage.completion_tokens',
] as const

export const CACHE_READ_TOKENS = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'llm.token_count.prompt_details.cache_read',
  'ai.usage.cachedInputTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
  'gen_ai.usage.input_tokens.cached',
  'llm.usage.cached_tokens',
  'braintrust.metrics.prompt_cached_tokens',
  'usage.cached_tokens',
] as const

export const CACHE_WRITE_TOKENS = [
  'gen_ai.usage.cache_write.input_tokens',
  'gen_ai.usage.cache_write_input_tokens',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_creation_input_tokens',
  'llm.token_count.prompt_details.cache_write',
  'ai.usage.inputTokenDetails.cacheWriteTokens',
  'gen_ai.usage.input_tokens.cache_write',
  'braintrust.metrics.prompt_cache_creation_tokens',
] as const

export const REASONING_TOKENS = [
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.reasoning_tokens',
  'codex.usage.reasoning_output_tokens',
  'llm.token_count.completion_details.reasoning',
  'ai.usage.reasoningTokens',
  'ai.usage.outputTokenDetails.reasoningTokens',
  'gen_ai.usage.output_tokens.reasoning',
  'llm.usage.reasoning_tokens',
  'braintrust.metrics.completion_reasoning_tokens',
  'usage.reasoning_tokens',
  'thoughts_token_count',
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
  'usage.cost',
] as const
/** A JSON object of costs by kind, as text; `total` is their sum. */
export const LANGFUSE_COST = 'langfuse.observation.cost_details'

/** JSON objects, as text, that are the usage of a payload. */
export const USAGE_OBJECTS = [
  'langsmith.usage_metadata',
  'langsmith.metadata.usage_metadata',
  'mlflow.chat.tokenUsage',
  'braintrust.metrics',
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
  'gen_ai.embeddings.input',
  'gcp.vertex.agent.tool_call_args',
  'gcp.vertex.agent.llm_request',
  'genkit:input',
  'mlflow.spanInputs',
  'braintrust.input_json',
  'braintrust.input',
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
  'braintrust.output_json',
  'braintrust.output',
  'response_data',
  'final_result',
  'langfuse.trace.output',
] as const

export const ERROR_TYPE = 'error.type'
/** Their spans never have the status of an error. */
export const SCOPES_WITHOUT_STATUS: ReadonlySet<string> = new Set(['lmnr.tracer', 'langsmith'])
export const LANGFUSE_LEVEL = 'langfuse.observation.level'
export const LANGFUSE_STATUS_MESSAGE = 'langfuse.observation.status_message'
