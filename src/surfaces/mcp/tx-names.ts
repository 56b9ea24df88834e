/** [C5] The tools of channels under the names that the channel protocol has for them: `tx_msg_send`. */
import type { Tool } from "./tools.ts";

export const hasTxName = ({ form }: Tool) => form.tool.startsWith("msg_");

export const withTxName = (tool: Tool): Tool =>
  hasTxName(tool) ? { ...tool, shown: { ...tool.shown, name: `tx_${tool.shown.name}` } } : tool;

/** Both names call the same tool, whichever is listed. */
export const withoutTxName = (name: string) => name.replace(/^tx_msg_/, "msg_");
