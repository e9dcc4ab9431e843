import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import type { MoreUsage, StepUsage } from '../../ports/traces/trace-record.ts'

type SentUsage = NonNullable<StepBody['token_usage']>

const PER_DOLLAR = 1_000_000_000

const NO_MORE: MoreUsage = {
  cacheWriteHour: 0,
  audioInput: 0,
  audioOutput: 0,
  imageInput: 0,
  imageOutput: 0,
  sentCost: 0,
  isBatch: false,
}

export function toStepUsage(sent: SentUsage): StepUsage {
  const { input = 0, output = 0, cache_read: cacheRead = 0, cache_write: cacheWrite = 0, reasoning = 0 } = sent
  const more = {
    cacheWriteHour: sent.cache_write_1h ?? 0,
    audioInput: sent.input_audio ?? 0,
    audioOutput: sent.output_audio ?? 0,
    imageInput: sent.input_image ?? 0,
    imageOutput: sent.output_image ?? 0,
    sentCost: Math.round((sent.cost_usd ?? 0) * PER_DOLLAR),
    isBatch: sent.batch ?? false,
  } satisfies MoreUsage
  const isMore = Object.values(more).some((value) => value !== 0 && value !== false)
  return { input, output, cacheRead, cacheWrite, reasoning, more: isMore ? more : null }
}

/** As a client would send it. Kinds that it did not use are left out. */
export function toSentUsage({ input, output, cacheRead, cacheWrite, reasoning, more }: StepUsage): SentUsage {
  // Most calls use nothing else.
  if (more === null && cacheRead === 0 && cacheWrite === 0 && reasoning === 0) return { input, output }
  const { cacheWriteHour, audioInput, audioOutput, imageInput, imageOutput, sentCost, isBatch } = more ?? NO_MORE
  const others = {
    cache_read: cacheRead,
    cache_write: cacheWrite,
    reasoning,
    cache_write_1h: cacheWriteHour,
    input_audio: audioInput,
    output_audio: audioOutput,
    input_image: imageInput,
    output_image: imageOutput,
    cost_usd: sentCost / PER_DOLLAR,
    ...(isBatch ? { batch: isBatch } : {}),
  }
  return { input, output, ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== 0)) }
}
