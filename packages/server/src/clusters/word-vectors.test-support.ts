import type { AnswerRequest } from '../model-endpoints/model-server.test-support.ts'
import { sendVectors, textsIn } from '../model-endpoints/model-server.test-support.ts'

/** For tests: a vector with a dimension for each word, and a part that all texts share, as vectors of models have. */
function wordVector(text: string, dimension = 48): number[] {
  const vector = Array.from({ length: dimension }, () => 1)
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    let hash = 7
    for (const letter of word) hash = (hash * 31 + letter.codePointAt(0)!) % 1_000_003
    vector[hash % dimension]! += 2
  }
  return vector
}

/** A model server that embeds every text this way. */
export function answerWithWords(dimension?: number): AnswerRequest {
  return (request, response) =>
    sendVectors(
      response,
      textsIn(request).map((text) => wordVector(text, dimension)),
    )
}
