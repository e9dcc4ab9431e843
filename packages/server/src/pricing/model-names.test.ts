import assert from 'node:assert/strict'
import { test } from 'node:test'
import { priceFinder } from './find-price.ts'
import { namesOf, spellingOf } from './model-names.ts'
import { BUILTIN_PRICES } from './price-list.ts'

const priceOf = priceFinder(new Map())

/** Spellings as senders, gateways and clouds write them, by the model of the list that each must find. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  'gpt-4o': [
    'gpt-4o',
    'GPT-4o',
    'gpt-4o-2024-08-06',
    'openai/gpt-4o',
    'openai/gpt-4o-2024-08-06',
    'openai/openai/gpt-4o',
    'openai:gpt-4o',
    'azure/gpt-4o',
    'azure/eu/gpt-4o-2024-08-06',
    'azure_ai/gpt-4o',
    'openrouter/openai/gpt-4o',
    'litellm_proxy/azure/gpt-4o',
  ],
  'gpt-4o-2024-05-13': ['gpt-4o-2024-05-13', 'openai/gpt-4o-2024-05-13', 'azure/gpt-4o-2024-05-13'],
  'gpt-4o-mini': ['gpt-4o-mini', 'openai/gpt-4o-mini-2024-07-18', 'azure/gpt-4o-mini'],
  'gpt-3.5-turbo': ['gpt-35-turbo', 'azure/gpt-35-turbo', 'gpt-35-turbo-0125', 'gpt-3.5-turbo-0125'],
  'gpt-3.5-turbo-16k': ['gpt-35-turbo-16k'],
  'gpt-4': ['gpt-4', 'gpt-4-0613', 'azure/gpt-4-0613'],
  'gpt-4.1': ['gpt-4.1-2025-04-14', 'gpt-41', 'azure/gpt-4-1'],
  'gpt-4.1-mini': ['gpt-41-mini', 'azure/gpt-4.1-mini'],
  'gpt-5': ['gpt-5-2025-08-07', 'azure/gpt-5'],
  'gpt-5.1': ['gpt-5-1-2025-11-13', 'gpt-5.1-chat-latest'],
  'gpt-6.1-sol': ['openai/gpt-6.1-sol-2026-09-29', 'us.openai.gpt-6.1-sol', 'openai.gpt-6.1-sol'],
  'text-embedding-ada-002': ['text-embedding-ada-002', 'azure/text-embedding-ada-002'],
  'claude-sonnet-4-5': [
    'anthropic.claude-sonnet-4-5-20250929-v1:0',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
    'bedrock/us-east-1/anthropic.claude-sonnet-4-5-20250929-v1:0',
    'bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws:bedrock:eu-west-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0',
    'claude-sonnet-4-5-20250929-v1:0',
    'claude-sonnet-4-5@20250929',
    'claude-sonnet-4-5@default',
    'vertex_ai/claude-sonnet-4-5@20250929',
    'projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929',
    'anthropic/claude-sonnet-4.5',
    'openrouter/anthropic/claude-sonnet-4.5',
    'claude-4.5-sonnet',
    'Claude-Sonnet-4-5',
    'claude-sonnet-4-5-latest',
    'claude-sonnet-4-5[1m]',
  ],
  'claude-sonnet-4': ['claude-sonnet-4-20250514', 'claude-sonnet-4@20250514', 'claude-4-sonnet-20250514'],
  'claude-3-5-sonnet': [
    'anthropic/claude-3-5-sonnet-20241022',
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    'claude-3-5-sonnet-latest',
    'anthropic/claude-3.5-sonnet',
  ],
  'claude-3-7-sonnet': ['claude-sonnet-3.7', 'us.anthropic.claude-3-7-sonnet-20250219-v1:0'],
  'claude-3-haiku': ['anthropic.claude-3-haiku-20240307-v1:0:48k', 'claude-3-haiku@20240307'],
  'claude-opus-4-6': ['us.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
  'gemini-2.5-flash': [
    'models/gemini-2.5-flash',
    'google/gemini-2.5-flash',
    'googleai/gemini-2.5-flash',
    'gemini/gemini-2.5-flash',
    'vertex_ai/gemini-2.5-flash',
    'vertexai/gemini-2.5-flash',
    'google-gla:gemini-2.5-flash',
    'publishers/google/models/gemini-2.5-flash',
  ],
  'gemini-2.0-flash': ['gemini-2.0-flash-001', 'vertex_ai/gemini-2.0-flash-001'],
  'nova-pro': [
    'amazon.nova-pro-v1:0',
    'us.amazon.nova-pro-v1:0',
    'amazon.nova-pro-v1:0:300k',
    'bedrock/amazon.nova-pro-v1:0',
    'amazon/nova-pro-v1',
  ],
  'titan-embed-text': ['amazon.titan-embed-text-v1'],
  'titan-embed-text-v2': ['amazon.titan-embed-text-v2:0'],
  'meta.llama3-3-70b-instruct': ['us.meta.llama3-3-70b-instruct-v1:0', 'bedrock/meta.llama3-3-70b-instruct-v1:0'],
  'mistral-large-4': ['mistral-large-latest', 'mistral/mistral-large-latest', 'mistralai/mistral-large'],
  'mistral-large-2411': ['mistralai/mistral-large-2411'],
  'command-r-plus': ['command-r-plus', 'cohere.command-r-plus-v1:0', 'cohere/command-r-plus-08-2024'],
  'deepseek-chat': ['deepseek-chat', 'deepseek/deepseek-chat'],
  'qwen-max': ['qwen-max', 'dashscope/qwen-max', 'qwen/qwen-max', 'qwen-max-2025-01-25'],
  'grok-4': ['x-ai/grok-4', 'xai/grok-4-0709', 'grok-4-latest'],
  'llama-3.3-70b-versatile': ['groq/llama-3.3-70b-versatile'],
}

test('every spelling of a model finds its price', () => {
  for (const [model, spellings] of Object.entries(SPELLINGS)) {
    for (const spelling of spellings) assert.equal(priceOf(spelling)?.model, model, spelling)
  }
})

test('no model is mistaken for a related one', () => {
  for (const model of [
    'gpt-4o-mini-tts',
    'gpt-4o-',
    'claude-sonnet-4-99999999',
    'gpt-4o-2024-13-01',
    'gpt-4-1106',
    'ft:gpt-4o-2024-08-06:us:x:1',
    'gemini-2.5-flash-preview-05-20',
    'o3-mini-high',
    'mistral-small-2402',
    'gpt-4o:free',
    'openrouter/openai/gpt-4o:free',
    'meta-llama/llama-3.3-70b-instruct',
    'llama3-3-70b-instruct',
    'groq/openai/gpt-oss-120b',
    'together_ai/gpt-4o',
    'house.claude-sonnet-4-5',
    'us.house',
    'gpt-4o ',
    ' gpt-4o',
    '',
    '/',
    'openai/',
    'us.',
    '-latest',
    '@',
    'constructor',
    '__proto__',
    'claude-',
    'claude-3',
    'anthropic.',
  ]) {
    assert.equal(priceOf(model), null, model)
  }
})

test('a name is its own spelling, a snapshot has two names, and spelling again changes nothing', () => {
  for (const name of BUILTIN_PRICES.byName.keys()) assert.equal(spellingOf(name), name)
  assert.deepEqual(namesOf('azure/GPT-4o-2024-08-06'), ['gpt-4o-2024-08-06', 'gpt-4o'])
  for (const spelling of Object.values(SPELLINGS).flat()) {
    assert.equal(spellingOf(spellingOf(spelling)), spellingOf(spelling))
  }
})
