// What each agent is asked. No connection of a program that imports this leaves the machine.
import net from 'node:net'

const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...args) {
  const { host = 'localhost', path } = [args[0]].flat()[0]
  const isHere = path !== undefined || ['127.0.0.1', 'localhost', '::1'].includes(host)
  if (!isHere) throw new Error(`${host} is not this machine`)
  return connect.apply(this, args)
}

export const QUESTION = 'What is the weather in Bern?'
export const SYSTEM = 'Be brief.'
export const { MODEL_URL } = process.env
