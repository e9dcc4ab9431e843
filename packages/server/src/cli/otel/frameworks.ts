/** Where a framework sends its traces, and with which key. */
export interface Target {
  /** Of the service, without a slash at its end. */
  readonly url: string
  readonly key: string
}

/** The settings with which a framework sends its traces here. */
export interface Framework {
  /** In the command: lower case, with hyphens. */
  readonly name: string
  readonly title: string
  /** Variables of the environment of the agent. */
  environment(target: Target): readonly (readonly [name: string, value: string])[]
  /** Lines of a program or a file of settings; null if the variables are enough. */
  readonly lines: {
    readonly language: 'ts' | 'py' | 'toml' | 'yaml'
    /** Where they belong. */
    readonly place: string
    /** Packages to install before; null: none. */
    readonly install: string | null
    text(target: Target): string
  } | null
}

const exporter = ({ url, key }: Target): [string, string][] => [
  ['OTEL_EXPORTER_OTLP_ENDPOINT', `${url}/otlp`],
  ['OTEL_EXPORTER_OTLP_HEADERS', `x-api-key=${key}`],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf'],
]

/** An instrumentation of OpenInference for Python. */
function inPython(name: string, title: string, module: string, instrumentor: string): Framework {
  return {
    name,
    title,
    environment: exporter,
    lines: {
      language: 'py',
      place: 'at the start of the program',
      install: `pip install openinference-instrumentation-${module.replaceAll('_', '-')} opentelemetry-exporter-otlp-proto-http`,
      text: () => `from openinference.instrumentation.${module} import ${instrumentor}
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
${instrumentor}().instrument(tracer_provider=provider)`,
    },
  }
}

/** A package for Python that reads the variables of the exporter when it is set up. */
function setUpInPython(name: string, title: string, install: string, text: string): Framework {
  const lines = { language: 'py', place: 'at the start of the program', install, text: () => text } as const
  return { name, title, environment: exporter, lines }
}

/** In the order in which they are listed. */
export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'ai-sdk',
    title: 'AI SDK 7',
    environment: exporter,
    lines: {
      language: 'ts',
      place: 'at the start of the program',
      install: 'npm install @ai-sdk/otel @opentelemetry/sdk-node',
      text: () => `import { OpenTelemetry } from '@ai-sdk/otel'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { registerTelemetry } from 'ai'

new NodeSDK().start()
registerTelemetry(new OpenTelemetry())`,
    },
  },
  inPython('openai-agents', 'OpenAI Agents', 'openai_agents', 'OpenAIAgentsInstrumentor'),
  inPython('langchain', 'LangChain and LangGraph', 'langchain', 'LangChainInstrumentor'),
  inPython('llamaindex', 'LlamaIndex', 'llama_index', 'LlamaIndexInstrumentor'),
  {
    name: 'langsmith',
    title: 'LangSmith for Python',
    environment: (target) => [
      ['LANGSMITH_TRACING', 'true'],
      ['LANGSMITH_OTEL_ENABLED', 'true'],
      ['LANGSMITH_OTEL_ONLY', 'true'],
      ...exporter(target),
    ],
    lines: null,
  },
  setUpInPython(
    'strands',
    'Strands Agents',
    "pip install 'strands-agents[otel]'",
    `from strands.telemetry import StrandsTelemetry

StrandsTelemetry().setup_otlp_exporter()`,
  ),
  setUpInPython(
    'openlit',
    'OpenLIT',
    'pip install openlit',
    `import openlit

openlit.init()`,
  ),
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    environment: ({ url, key }) => [
      ['GEMINI_TELEMETRY_ENABLED', 'true'],
      ['GEMINI_TELEMETRY_TRACES_ENABLED', 'true'],
      ['GEMINI_TELEMETRY_TARGET', 'local'],
      ['GEMINI_TELEMETRY_OTLP_PROTOCOL', 'http'],
      ['GEMINI_TELEMETRY_OTLP_ENDPOINT', `${url}/otlp`],
      ['OTEL_EXPORTER_OTLP_HEADERS', `x-api-key=${key}`],
    ],
    lines: null,
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    environment: (target) => [
      ['CLAUDE_CODE_ENABLE_TELEMETRY', '1'],
      ['CLAUDE_CODE_ENHANCED_TELEMETRY_BETA', '1'],
      ['OTEL_TRACES_EXPORTER', 'otlp'],
      ...exporter(target),
      ['OTEL_LOG_USER_PROMPTS', '1'],
      ['OTEL_LOG_TOOL_DETAILS', '1'],
      ['OTEL_LOG_TOOL_CONTENT', '1'],
    ],
    lines: null,
  },
  {
    name: 'codex',
    title: 'Codex',
    environment: () => [],
    lines: {
      language: 'toml',
      place: 'in ~/.codex/config.toml',
      install: null,
      text: ({ url, key }) => `[otel]
trace_exporter = { otlp-http = { endpoint = "${url}/otlp/v1/traces", protocol = "binary", headers = { "x-api-key" = "${key}" } } }
log_user_prompt = true`,
    },
  },
  {
    name: 'mastra',
    title: 'Mastra',
    environment: () => [],
    lines: {
      language: 'ts',
      place: 'where Mastra is made',
      install: 'npm install @mastra/observability @mastra/otel-exporter',
      text: ({ url, key }) => `import { Mastra } from '@mastra/core/mastra'
import { Observability } from '@mastra/observability'
import { OtelExporter } from '@mastra/otel-exporter'

const spoor = new OtelExporter({
  provider: {
    custom: {
      endpoint: '${url}/otlp/v1/traces',
      protocol: 'http/protobuf',
      headers: { 'x-api-key': '${key}' },
    },
  },
  signals: { logs: false },
})

export const mastra = new Mastra({
  observability: new Observability({ configs: { spoor: { serviceName: 'my-agent', exporters: [spoor] } } }),
})`,
    },
  },
  {
    name: 'openinference',
    title: 'OpenInference for the client of OpenAI',
    environment: exporter,
    lines: {
      language: 'ts',
      place: 'at the start of the program',
      install: 'npm install @arizeai/openinference-instrumentation-openai @opentelemetry/sdk-node',
      text: () => `import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai'
import { NodeSDK } from '@opentelemetry/sdk-node'
import OpenAI from 'openai'

const instrumentation = new OpenAIInstrumentation()
instrumentation.manuallyInstrument(OpenAI)
new NodeSDK({ instrumentations: [instrumentation] }).start()`,
    },
  },
  {
    name: 'openllmetry',
    title: 'OpenLLMetry',
    environment: ({ url, key }) => [
      ['TRACELOOP_BASE_URL', `${url}/otlp`],
      ['TRACELOOP_HEADERS', `x-api-key=${key}`],
    ],
    lines: {
      language: 'py',
      place: 'at the start of the program',
      install: 'pip install traceloop-sdk',
      text: () => `from traceloop.sdk import Traceloop

Traceloop.init(app_name="my-agent")`,
    },
  },
  {
    name: 'langfuse',
    title: 'SDKs of Langfuse',
    environment: ({ url, key }) => [
      ['LANGFUSE_BASE_URL', url],
      ['LANGFUSE_SECRET_KEY', key],
      ['LANGFUSE_PUBLIC_KEY', 'any'],
    ],
    lines: null,
  },
  {
    name: 'collector',
    title: 'OpenTelemetry Collector',
    environment: () => [],
    lines: {
      language: 'yaml',
      place: 'in its configuration, and the exporter also in the pipeline of traces',
      install: null,
      text: ({ url, key }) => `exporters:
  otlphttp/spoor:
    endpoint: ${url}/otlp
    headers:
      x-api-key: ${key}`,
    },
  },
]
