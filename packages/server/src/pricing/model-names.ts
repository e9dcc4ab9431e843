/**
 * Where a call was sent, in front of the model's name: a gateway, a host or a vendor with `/` or `:`, a region or a
 * kind of request of Bedrock, the path of a resource of Bedrock or Vertex.
 */
const ROUTE =
  /^(?:(?:azure|azure_ai|azure-openai|bedrock|bedrock_converse|amazon-bedrock|amazon_bedrock|aws|converse|invoke|vertex_ai|vertex_ai_beta|vertexai|vertex|google-vertex|google_vertexai|google_genai|google-genai|google-gla|googleai|google|gemini|models|openai|azure_openai|anthropic|mistral|mistralai|cohere|cohere_chat|deepseek|qwen|dashscope|alibaba|xai|x-ai|amazon|groq|openrouter|litellm|litellm_proxy|us|eu|global|global-standard|[a-z]{2}(?:-gov)?-[a-z]+-\d)[/:]|arn:aws[\w-]*:bedrock:[^/]*\/|projects\/[^/]+\/locations\/[^/]+\/|publishers\/[\w-]+\/models\/)+/

/** A profile of Bedrock for several regions: `us.anthropic.…`. */
const REGION = /^(?:us|us-gov|eu|apac|jp|au|ca|in|sa|global)\.(?=[a-z0-9]+\.)/

/** Vendors whose models cost the same everywhere. Open models (`meta.…`) have another price at each host. */
const VENDOR = /^(?:anthropic|amazon|cohere|openai|xai)\./

/** The version of a model of Bedrock, which is 2 of some that have a date. Titan 2 is another model than Titan 1. */
const VERSION = /-v[01](?::\d+(?::\d+k)?)?$|(?<=\d{8})-v2:0$/

/** A whole date. Four digits (`-0613`, `-2411`) are versions with prices of their own. */
const DATE = /-20[2-9]\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$|-20[2-9]\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/

/**
 * The names under which a model may be priced, the most exact first: the vendor's spelling of it, and that without the
 * date of a snapshot or `-latest`. Nothing else is removed, so no model is mistaken for a related one: `gpt-4o-mini` is
 * never `gpt-4o`. Never empty.
 */
export function namesOf(model: string): readonly string[] {
  const spelling = spellingOf(model)
  const base = spelling.replace(DATE, '').replace(/[-:]latest$/, '')
  return base === spelling ? [spelling] : [spelling, base]
}

/** One spelling for all that senders, gateways and clouds make of a model's name. */
export function spellingOf(model: string): string {
  const name = model
    .toLowerCase()
    .replace(ROUTE, '')
    .replace(REGION, '')
    .replace(VENDOR, '')
    .replace(VERSION, '')
    // Claude Code adds it for a context of a million tokens.
    .replace(/\[1m\]$/, '')
    .replace(/@(?:default|latest)$/, '')
    .replace('@', '-')
  if (!name.startsWith('claude-')) return name.replace(/^gpt-(\d)-?(\d)(?=-|$)/, 'gpt-$1.$2')
  return name
    .replaceAll('.', '-')
    .replace(/^claude-([4-9])(-\d)?-([a-z]+)/, 'claude-$3-$1$2')
    .replace(/^claude-([a-z]+)-3(-\d)?(?=-|$)/, 'claude-3$2-$1')
}
