/** The settings with which a framework sends its traces here. `{url}` and `{key}` stand for the service and the key. */
export interface Framework {
  /** In the command: lower case, with hyphens. */
  readonly name: string
  readonly title: string
  /** Variables of the environment of the agent. */
  readonly environment: readonly string[]
  /** Lines of a program or a file of settings; null if the variables are enough. */
  readonly lines: Lines | null
}

export interface Lines {
  readonly language: 'ts' | 'py' | 'toml' | 'yaml' | 'json'
  /** Where they belong. */
  readonly place: string
  /** What to do before; null: nothing. */
  readonly install: string | null
  readonly text: string
}

const KEY = 'OTEL_EXPORTER_OTLP_HEADERS=x-api-key={key}'

/** What exporters of all languages read. */
export const EXPORTER: readonly string[] = [
  'OTEL_EXPORTER_OTLP_ENDPOINT={url}/otlp',
  KEY,
  'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
]

const START = 'at the start of the program'
const STARTED = `import { NodeSDK } from '@opentelemetry/sdk-node'

new NodeSDK().start()`

function withLines(
  name: string,
  title: string,
  environment: readonly string[],
  language: Lines['language'],
  install: string | null,
  text: string,
  place = START,
): Framework {
  return { name, title, environment, lines: { language, place, install, text } }
}

function withVariables(name: string, title: string, ...environment: readonly string[]): Framework {
  return { name, title, environment, lines: null }
}

/** A program in TypeScript in which Node's SDK of OpenTelemetry exports. */
function inNode(name: string, title: string, packages: string, lines: string): Framework {
  return withLines(name, title, EXPORTER, 'ts', `npm install ${packages}`, lines)
}

/** An instrumentation for Python. */
function inPython(name: string, title: string, packages: string, imported: string, last: string): Framework {
  const text = `${imported}
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
${last}`.trim()
  return setUpInPython(name, title, `${packages} opentelemetry-exporter-otlp-proto-http`, text)
}

/** A package for Python that reads the variables of the exporter when it is set up. */
function setUpInPython(name: string, title: string, packages: string, text: string): Framework {
  return withLines(name, title, EXPORTER, 'py', `pip install ${packages}`, text)
}

function openInference(name: string, title: string, module: string, instrumentor: string): Framework {
  const imported = `from openinference.instrumentation.${module} import ${instrumentor}`
  const packages = `openinference-instrumentation-${module.replaceAll('_', '-')}`
  return inPython(name, title, packages, imported, `${instrumentor}().instrument(tracer_provider=provider)`)
}

/** An instrumentation of a module for Node.js. `imported` is the line that imports the module. */
function openInferenceInNode(name: string, title: string, of: string, instrumentation: string, imported: string) {
  const packageName = `@arizeai/openinference-instrumentation-${of}`
  const text = `import { ${instrumentation} } from '${packageName}'
import { NodeSDK } from '@opentelemetry/sdk-node'
${imported}

const instrumentation = new ${instrumentation}()
instrumentation.manuallyInstrument(${/(\w+) from/.exec(imported)?.[1]})
new NodeSDK({ instrumentations: [instrumentation] }).start()`
  return inNode(name, title, `${packageName} @opentelemetry/sdk-node`, text)
}

/** In the order in which they are listed. */
export const FRAMEWORKS: readonly Framework[] = [
  inNode(
    'ai-sdk',
    'AI SDK 7',
    '@ai-sdk/otel @opentelemetry/sdk-node',
    `import { OpenTelemetry } from '@ai-sdk/otel'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { registerTelemetry } from 'ai'

new NodeSDK().start()
registerTelemetry(new OpenTelemetry())`,
  ),
  openInference('openai-agents', 'OpenAI Agents', 'openai_agents', 'OpenAIAgentsInstrumentor'),
  openInferenceInNode(
    'openai-agents-js',
    'OpenAI Agents (JavaScript)',
    'openai-agents',
    'OpenAIAgentsInstrumentation',
    "import * as agents from '@openai/agents'",
  ),
  openInference('langchain', 'LangChain and LangGraph (Python)', 'langchain', 'LangChainInstrumentor'),
  openInference('llamaindex', 'LlamaIndex', 'llama_index', 'LlamaIndexInstrumentor'),
  withVariables(
    'langsmith',
    'LangChain, LangGraph and SDKs of LangSmith',
    'LANGSMITH_TRACING=true',
    'LANGSMITH_ENDPOINT={url}',
    'LANGSMITH_API_KEY={key}',
    'LANGSMITH_PROJECT=my-agent',
  ),
  withLines(
    'opentelemetry',
    'Official instrumentations of OpenTelemetry for Node.js (OpenAI, Bedrock)',
    [...EXPORTER, 'OTEL_LOGS_EXPORTER=otlp', 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true'],
    'ts',
    'npm install @opentelemetry/auto-instrumentations-node',
    `require('@opentelemetry/auto-instrumentations-node/register')`,
  ),
  setUpInPython(
    'strands',
    'Strands Agents',
    "'strands-agents[otel]'",
    'from strands.telemetry import StrandsTelemetry\n\nStrandsTelemetry().setup_otlp_exporter()',
  ),
  inPython('google-adk', 'Google ADK', 'google-adk', '', ''),
  inNode(
    'genkit',
    'Genkit',
    '@opentelemetry/exporter-trace-otlp-proto@0.52 @opentelemetry/sdk-trace-base@1.25',
    `import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { enableTelemetry } from 'genkit/tracing'

enableTelemetry({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] })`,
  ),
  inNode('google-adk-js', 'Google ADK (JavaScript)', '@opentelemetry/sdk-node', STARTED),
  inNode(
    'voltagent',
    'VoltAgent',
    '@opentelemetry/sdk-node',
    STARTED.replace('new', '// Before VoltAgent is imported.\nnew'),
  ),
  withLines(
    'mastra',
    'Mastra',
    [],
    'ts',
    'npm install @mastra/observability @mastra/otel-exporter',
    `import { Mastra } from '@mastra/core/mastra'
import { Observability } from '@mastra/observability'
import { OtelExporter } from '@mastra/otel-exporter'

const spoor = new OtelExporter({
  provider: {
    custom: {
      endpoint: '{url}/otlp/v1/traces',
      protocol: 'http/protobuf',
      headers: { 'x-api-key': '{key}' },
    },
  },
  signals: { logs: false },
})

export const mastra = new Mastra({
  observability: new Observability({ configs: { spoor: { serviceName: 'my-agent', exporters: [spoor] } } }),
})`,
    'where Mastra is made',
  ),
  openInferenceInNode(
    'openinference',
    'OpenInference for the client of OpenAI',
    'openai',
    'OpenAIInstrumentation',
    "import OpenAI from 'openai'",
  ),
  openInferenceInNode(
    'anthropic',
    'OpenInference for the client of Anthropic',
    'anthropic',
    'AnthropicInstrumentation',
    "import Anthropic from '@anthropic-ai/sdk'",
  ),
  withLines(
    'openllmetry',
    'OpenLLMetry',
    ['TRACELOOP_BASE_URL={url}/otlp', 'TRACELOOP_HEADERS=x-api-key={key}'],
    'py',
    'pip install traceloop-sdk',
    'from traceloop.sdk import Traceloop\n\nTraceloop.init(app_name="my-agent")',
  ),
  setUpInPython('openlit', 'OpenLIT', 'openlit', 'import openlit\n\nopenlit.init()'),
  inNode(
    'sentry',
    'Sentry 10 with its instrumentations of models',
    '@opentelemetry/exporter-trace-otlp-proto @opentelemetry/sdk-trace-base',
    `import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import * as Sentry from '@sentry/node'

Sentry.init({
  dsn: process.env.SENTRY_DSN,
  tracesSampleRate: 1,
  sendDefaultPii: true,
  openTelemetrySpanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
})`,
  ),
  setUpInPython('logfire', 'Logfire', 'logfire', 'import logfire\n\nlogfire.configure(send_to_logfire=False)'),
  withVariables('logfire-js', 'Logfire (JavaScript)', 'LOGFIRE_BASE_URL={url}', 'LOGFIRE_TOKEN={key}'),
  withVariables('braintrust', "Braintrust's OpenTelemetry", 'BRAINTRUST_API_URL={url}', 'BRAINTRUST_API_KEY={key}'),
  withVariables('opik', "Opik's OpenTelemetry", ...EXPORTER),
  withLines(
    'laminar',
    'Laminar',
    ['LMNR_PROJECT_API_KEY={key}'],
    'ts',
    'npm install @lmnr-ai/lmnr',
    `import { Laminar } from '@lmnr-ai/lmnr'

const url = new URL('{url}')
const httpPort = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
Laminar.initialize({ baseUrl: url.protocol + '//' + url.hostname, httpPort, forceHttp: true })`,
  ),
  // Later SDKs read the first of the addresses, SDK 3 for JavaScript the second, Python and most tools the third.
  withVariables(
    'langfuse',
    'SDKs of Langfuse',
    'LANGFUSE_BASE_URL={url}',
    'LANGFUSE_BASEURL={url}',
    'LANGFUSE_HOST={url}',
    'LANGFUSE_SECRET_KEY={key}',
    'LANGFUSE_PUBLIC_KEY=any',
  ),
  withVariables(
    'claude-code',
    'Claude Code',
    'CLAUDE_CODE_ENABLE_TELEMETRY=1',
    'CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1',
    'OTEL_TRACES_EXPORTER=otlp',
    'OTEL_LOGS_EXPORTER=otlp',
    ...EXPORTER,
    'OTEL_LOG_USER_PROMPTS=1',
    'OTEL_LOG_TOOL_DETAILS=1',
    'OTEL_LOG_TOOL_CONTENT=1',
  ),
  withLines(
    'codex',
    'Codex',
    [],
    'toml',
    null,
    `[otel]
trace_exporter = { otlp-http = { endpoint = "{url}/otlp/v1/traces", protocol = "binary", headers = { "x-api-key" = "{key}" } } }
log_user_prompt = true`,
    'in ~/.codex/config.toml',
  ),
  withVariables(
    'gemini-cli',
    'Gemini CLI',
    'GEMINI_TELEMETRY_ENABLED=true',
    'GEMINI_TELEMETRY_TRACES_ENABLED=true',
    'GEMINI_TELEMETRY_TARGET=local',
    'GEMINI_TELEMETRY_OTLP_PROTOCOL=http',
    'GEMINI_TELEMETRY_OTLP_ENDPOINT={url}/otlp',
    KEY,
  ),
  withLines(
    'qwen-code',
    'Qwen Code',
    [KEY],
    'json',
    null,
    `{
  "telemetry": {
    "enabled": true,
    "otlpProtocol": "http",
    "otlpEndpoint": "{url}/otlp",
    "logPrompts": true
  }
}`,
    'in .qwen/settings.json',
  ),
  withLines(
    'copilot',
    'GitHub Copilot SDK',
    [KEY],
    'ts',
    null,
    `import { CopilotClient } from '@github/copilot-sdk'

const client = new CopilotClient({ telemetry: { otlpEndpoint: '{url}/otlp', captureContent: true } })`,
    'where the client is made',
  ),
  withLines(
    'collector',
    'OpenTelemetry Collector',
    [],
    'yaml',
    null,
    `exporters:
  otlphttp/spoor:
    endpoint: {url}/otlp
    headers:
      x-api-key: {key}`,
    'in its configuration, and the exporter also in the pipelines of traces and logs',
  ),
]
