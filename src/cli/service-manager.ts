/** Notifies systemd that the service is ready or stopping (`Type=notify`, sd_notify(3)). */
import { spawn } from "node:child_process";
import process from "node:process";
import { report } from "./database.ts";

/** Sends a state to systemd by its own program: Node and Deno have no Unix datagram sockets. */
export function tellServiceManager(state: "READY=1" | "STOPPING=1"): void {
  if (!process.env.NOTIFY_SOCKET) return;
  const failed = (reason: string) => report(`systemd-notify ${state} has failed: ${reason}`);
  try {
    const child = spawn("systemd-notify", [state], { stdio: ["ignore", "ignore", "inherit"] });
    child.on("error", ({ message }) => failed(message));
    child.on("exit", (code, signal) => code !== 0 && failed(`exit code ${code ?? signal}`));
  } catch (error) {
    failed((error as Error).message); // on Deno, a program that may not be run
  }
}
