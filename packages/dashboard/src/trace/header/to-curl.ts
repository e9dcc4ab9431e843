/** A command line that asks for the trace. The key is not in it: it is read from the shell's environment. */
export function toCurl(origin: string, traceId: string): string {
  return `curl -sS '${origin}/v1/traces/${traceId}' -H "x-api-key: $SPOOR_API_KEY"`
}
