import { ASKED, batch, CALL, event, HEX, lc, run, spans, type Sender } from './public-senders.test-support.ts'

export const OTHER_SENDERS: Readonly<Record<string, Sender>> = {
  'langfuse for Python 3': {
    form: 'json',
    requests: [
      batch(
        event('score-create', 1, {
          id: 'score-1',
          traceId: HEX,
          observationId: 'ab00000000000002',
          name: 'warmth',
          value: 0.5,
          dataType: 'NUMERIC',
        }),
        event('score-create', 2, { id: 'score-2', traceId: HEX, name: 'helpful', value: 1, dataType: 'BOOLEAN' }),
      ),
      spans('langfuse-sdk', [
        {
          id: 'ab00000000000001',
          name: 'answer',
          attributes: {
            'langfuse.observation.type': 'agent',
            'langfuse.observation.input': '"Is it warm in Bern?"',
            'langfuse.observation.output': '"Yes."',
            'langfuse.trace.name': 'answer',
            'langfuse.environment': 'staging',
            'session.id': 'session-7',
            'user.id': 'user-7',
          },
        },
        {
          id: 'ab00000000000002',
          parent: 'ab00000000000001',
          name: 'ask',
          attributes: {
            'langfuse.observation.type': 'generation',
            'langfuse.observation.model.name': 'gpt-5',
            'langfuse.observation.input': JSON.stringify(ASKED),
            'langfuse.observation.output': JSON.stringify({ role: 'assistant', content: 'Yes.' }),
            'langfuse.observation.usage_details': '{"input":12,"output":3,"total":15}',
          },
        },
        {
          id: 'ab00000000000003',
          parent: 'ab00000000000001',
          name: 'weather',
          attributes: {
            'langfuse.observation.type': 'tool',
            'langfuse.observation.input': '{"city":"Bern"}',
            'langfuse.observation.level': 'ERROR',
            'langfuse.observation.status_message': 'ValueError: no such city',
          },
        },
      ]),
    ],
    shown: {
      trace: ['answer', 'session-7', 'user-7', 'error', 12, 3],
      said: ['Is it warm in Bern?', 'Yes.', 'ValueError: no such city'],
      steps: {
        answer: [null, 'agent', 'user: Is it warm in Bern?', 'assistant: Yes.'],
        ask: ['answer', 'llm', 'system: Be brief.', 'user: Is it warm in Bern?', 'assistant: Yes.'],
        weather: ['answer', 'tool', 'assistant: {"city":"Bern"}', 'error: ValueError: no such city'],
      },
      scores: { warmth: 'ask', helpful: null },
    },
  },

  'LibreChat, by callbacks of LangChain over OpenTelemetry': {
    form: 'json',
    requests: [
      spans('langfuse-sdk', [
        {
          id: 'ab00000000000001',
          name: 'AgentRun',
          attributes: {
            'langfuse.observation.type': 'agent',
            'langfuse.observation.input': JSON.stringify({
              messages: [{ role: 'user', content: 'Is it warm in Bern?' }],
            }),
            'langfuse.observation.output': JSON.stringify({
              messages: [
                { role: 'user', content: 'Is it warm in Bern?' },
                { role: 'assistant', content: 'Yes.' },
              ],
            }),
            'langfuse.session.id': 'session-7',
            'langfuse.user.id': 'user-7',
          },
        },
        {
          id: 'ab00000000000002',
          parent: 'ab00000000000001',
          name: 'ChatOpenAI',
          attributes: {
            'langfuse.observation.type': 'generation',
            'langfuse.observation.model.name': 'gpt-5',
            'langfuse.observation.input': JSON.stringify(ASKED),
            'langfuse.observation.output': JSON.stringify({
              role: 'assistant',
              content: '',
              tool_calls: [{ name: 'weather', args: { city: 'Bern' }, id: 'call_7', type: 'tool_call' }],
            }),
            'langfuse.observation.usage_details': '{"input":8,"output":3,"total":15,"input_cache_read":4}',
          },
        },
        {
          id: 'ab00000000000003',
          parent: 'ab00000000000001',
          name: 'weather',
          attributes: {
            'langfuse.observation.type': 'tool',
            'langfuse.observation.input': '{"city":"Bern"}',
            'langfuse.observation.output': JSON.stringify({
              content: 'sun',
              role: 'weather',
              tool_call_id: 'call_7',
              additional_kwargs: {},
            }),
          },
        },
      ]),
    ],
    shown: {
      trace: ['AgentRun', 'session-7', 'user-7', 'ok', 12, 3],
      said: ['Is it warm in Bern?', 'Yes.', undefined],
      steps: {
        AgentRun: [null, 'agent', 'user: Is it warm in Bern?', 'assistant: Yes.'],
        ChatOpenAI: [
          'AgentRun',
          'llm',
          'system: Be brief.',
          'user: Is it warm in Bern?',
          'assistant: weather({"city":"Bern"})',
        ],
        weather: ['AgentRun', 'tool', 'assistant: {"city":"Bern"}', 'tool: sun'],
      },
    },
  },

  'langsmith for Python': {
    form: 'langsmith',
    requests: [
      {
        post: [
          run(0, {
            name: 'answer',
            run_type: 'chain',
            inputs: { question: 'Is it warm in Bern?' },
            extra: {
              runtime: { sdk: 'langsmith-py', sdk_version: '0.4.1', platform: 'Linux' },
              metadata: {
                session_id: 'session-7',
                user_id: 'user-7',
                revision_id: 'r1',
                LANGSMITH_PROJECT: 'my-agent',
              },
            },
            tags: [],
            serialized: null,
          }),
          run(1, {
            name: 'ChatOpenAI',
            run_type: 'llm',
            inputs: { messages: ASKED, model: 'gpt-5' },
            extra: {
              metadata: { ls_provider: 'openai', ls_model_type: 'chat', ls_model_name: 'gpt-5', ls_temperature: 0.2 },
              invocation_params: { model: 'gpt-5' },
            },
            events: [],
          }),
          run(2, {
            name: 'weather',
            run_type: 'tool',
            inputs: { city: 'Bern' },
            end_time: '2026-11-26T23:12:20.500000',
            outputs: null,
            error:
              'ValueError(\'no such city\')Traceback (most recent call last):\n\n\n  File "a.py", line 1, in run\n\n\nValueError: no such city',
          }),
        ],
        patch: [
          run(1, {
            end_time: '2026-11-26T23:12:20.300000',
            outputs: {
              id: 'chatcmpl-7',
              object: 'chat.completion',
              model: 'gpt-5',
              choices: [
                {
                  index: 0,
                  finish_reason: 'tool_calls',
                  message: { role: 'assistant', content: null, tool_calls: [CALL] },
                },
              ],
              usage_metadata: {
                input_tokens: 12,
                output_tokens: 3,
                total_tokens: 15,
                input_token_details: {},
                output_token_details: {},
              },
            },
            events: [{ name: 'new_token', time: '2026-11-26T23:12:20.150000', kwargs: { token: 'Y' } }],
          }),
          run(0, { end_time: '2026-11-26T23:12:20.600000', outputs: { output: 'Yes.' } }),
        ],
      },
    ],
    shown: {
      trace: ['answer', 'session-7', 'user-7', 'ok', 12, 3],
      said: ['Is it warm in Bern?', 'Yes.', 'ValueError: no such city'],
      steps: {
        ChatOpenAI: [
          'answer',
          'llm',
          'system: Be brief.',
          'user: Is it warm in Bern?',
          'assistant: weather({"city":"Bern"})',
        ],
        answer: [null, 'chain', 'user: Is it warm in Bern?', 'assistant: Yes.'],
        weather: ['answer', 'tool', 'assistant: {"city":"Bern"}', 'error: ValueError: no such city'],
      },
    },
  },

  'n8n, by the variables of LangSmith': {
    form: 'langsmith',
    requests: [
      {
        post: [
          run(0, {
            name: '[Weather] AI Agent',
            run_type: 'chain',
            inputs: { input: 'Is it warm in Bern?', system_message: 'Be brief.' },
            extra: { metadata: { execution_id: '7', workflow: { id: 'w', name: 'Weather' }, node: 'AI Agent' } },
          }),
          run(1, {
            name: 'ChatOpenAI',
            run_type: 'llm',
            inputs: { messages: [[lc('SystemMessage', 'Be brief.'), lc('HumanMessage', 'Is it warm in Bern?')]] },
          }),
          run(2, { name: 'weather', run_type: 'tool', inputs: { input: '{"city":"Bern"}' } }),
        ],
      },
      {
        patch: [
          run(1, {
            end_time: 1_795_734_740_300,
            outputs: {
              generations: [
                [
                  {
                    text: '',
                    message: lc('AIMessageChunk', '', {
                      tool_calls: [{ name: 'weather', args: { city: 'Bern' }, id: 'call_7', type: 'tool_call' }],
                      usage_metadata: { input_tokens: 12, output_tokens: 3, total_tokens: 15 },
                      response_metadata: { model_name: 'gpt-5' },
                    }),
                  },
                ],
              ],
            },
          }),
          run(2, { end_time: 1_795_734_740_400, outputs: { output: 'sun' } }),
          run(0, { end_time: 1_795_734_740_600, outputs: { output: 'Yes.' } }),
        ],
      },
    ],
    shown: {
      trace: ['[Weather] AI Agent', null, null, 'ok', 12, 3],
      said: ['Is it warm in Bern?', 'Yes.', undefined],
      steps: {
        ChatOpenAI: [
          '[Weather] AI Agent',
          'llm',
          'system: Be brief.',
          'user: Is it warm in Bern?',
          'assistant: weather({"city":"Bern"})',
        ],
        '[Weather] AI Agent': [null, 'chain', 'system: Be brief.', 'user: Is it warm in Bern?', 'assistant: Yes.'],
        weather: ['[Weather] AI Agent', 'tool', 'assistant: {"city":"Bern"}', 'tool: sun'],
      },
    },
  },
}
