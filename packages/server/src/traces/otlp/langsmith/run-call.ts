import { type Fields, isFields, isList } from '@spoor/payloads/json'
import { asFields, type Run } from './run.ts'

/**
 * The model of a run and its tokens, which stand in several places: beside the outputs, on the message of each
 * generation, and in what the model's own answer says. LangChain's messages have their fields in `kwargs`.
 */
export function callOf(run: Run): Readonly<Record<string, unknown>> {
  const outputs = asFields(run['outputs'])
  const extra = asFields(run['extra'])
  const parameters = asFields(extra['invocation_params'])
  const messages = messagesOf(outputs)
  const response = asFields(messages.map((message) => message['response_metadata']).find(isFields))
  const used = messages.map((message) => message['usage_metadata']).filter(isFields)
  const usage = used.length === 0 ? outputs['usage_metadata'] : summed(used)
  const cost = asFields(usage)['total_cost']
  return {
    'gen_ai.response.model': text(response['model_name']) ?? text(response['model']),
    'gen_ai.request.model': text(parameters['model']) ?? text(parameters['model_name']),
    'langsmith.usage_metadata': isFields(asFields(extra['metadata'])['usage_metadata']) ? undefined : usage,
    'gen_ai.usage.cost': typeof cost === 'number' ? cost : undefined,
    'gen_ai.request.parameters': isFields(extra['invocation_params']) ? parameters : undefined,
    'gen_ai.tool.call.id': text(extra['tool_call_id']),
  }
}

/** One message for each prompt: further generations of a prompt repeat its usage. */
function messagesOf({ generations, message }: Fields): readonly Fields[] {
  const firsts = isList(generations) ? generations.map((one) => (isList(one) ? one[0] : one)) : []
  return [...firsts.map((one) => asFields(one)['message']), message].flatMap((one) => {
    if (!isFields(one)) return []
    return [isFields(one['kwargs']) ? one['kwargs'] : one]
  })
}

function summed(all: readonly Fields[]): Fields {
  if (all.length === 1) return all[0]!
  const sum: Record<string, unknown> = {}
  for (const one of all) {
    for (const [key, value] of Object.entries(one)) {
      const before = sum[key]
      if (isFields(value)) sum[key] = summed([...(isFields(before) ? [before] : []), value])
      else if (typeof value === 'number') sum[key] = value + (typeof before === 'number' ? before : 0)
    }
  }
  return sum
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
