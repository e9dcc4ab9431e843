import type { Random } from '../lib/random.ts'

/** Requests by topic: an opening, things and circumstances, of which each trace has its own mixture. */
const TOPICS = [
  [
    'refund for my order',
    ['headphones', 'jacket', 'kettle', 'lamp'],
    ['arrived broken', 'never arrived', 'wrong colour'],
  ],
  ['translate a text into', ['french', 'portuguese', 'japanese', 'polish'], ['for a letter', 'for a menu', 'formally']],
  ['weather forecast for', ['oslo', 'lisbon', 'nairobi', 'lima'], ['tomorrow', 'this weekend', 'with wind and rain']],
  ['book a table at a restaurant', ['vegan', 'seafood', 'thai', 'georgian'], ['for two', 'for six people', 'outside']],
  [
    'reset the password of my',
    ['mail account', 'router', 'laptop', 'bank login'],
    ['locked out', 'lost phone', 'code expired'],
  ],
  [
    'explain the python error',
    ['KeyError', 'IndexError', 'TypeError', 'ImportError'],
    ['in a loop', 'in a test', 'in pandas'],
  ],
] as const

export const TOPIC_COUNT = TOPICS.length

/** A trace as a client sends it: an agent that got a request of the topic. */
export function topicTrace(topic: number, random: Random, failed = false): object {
  const [opening, things, circumstances] = TOPICS[topic % TOPIC_COUNT]!
  const asked = `Please help with ${opening} ${random.pick<string>(things)}, ${random.pick<string>(circumstances)}; my number is ${random.below(100_000)}.`
  const message = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
  return {
    name: 'assistant',
    status: failed ? 'error' : 'ok',
    metadata: { topic },
    steps: [
      {
        name: 'answer',
        type: 'llm',
        model: 'gpt-4o',
        messages: [message('user', asked), message('assistant', 'I will look into it.')],
      },
    ],
  }
}
