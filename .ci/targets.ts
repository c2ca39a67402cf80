/** The machines that a release has an executable for. */
export const targets = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
