//! Words of jobs: how far they are, and why they failed.

use super::Lang;
use crate::job::{FailureClass, Phase};

/// How far a job is, in a word or two.
#[must_use]
pub fn phase(lang: Lang, phase: Phase) -> &'static str {
    match (lang, phase) {
        (Lang::En, Phase::Queued) => "queued",
        (Lang::Ja, Phase::Queued) => "待機中",
        (Lang::En, Phase::Leased) => "taken",
        (Lang::Ja, Phase::Leased) => "割り当て済み",
        (Lang::En, Phase::Starting) => "starting",
        (Lang::Ja, Phase::Starting) => "サーバー起動中",
        (Lang::En, Phase::Warming) => "warming up",
        (Lang::Ja, Phase::Warming) => "ウォームアップ中",
        (Lang::En, Phase::Running) => "running",
        (Lang::Ja, Phase::Running) => "計測中",
        (Lang::En, Phase::Uploading) => "uploading",
        (Lang::Ja, Phase::Uploading) => "送信中",
        (Lang::En, Phase::Done) => "done",
        (Lang::Ja, Phase::Done) => "完了",
        (Lang::En, Phase::Failed) => "failed",
        (Lang::Ja, Phase::Failed) => "失敗",
        (Lang::En, Phase::Cancelled) => "cancelled",
        (Lang::Ja, Phase::Cancelled) => "取り消し",
    }
}

/// Why a job failed, as a phrase.
#[must_use]
pub fn failure_class(lang: Lang, class: FailureClass) -> &'static str {
    match (lang, class) {
        (Lang::En, FailureClass::OutOfMemory) => "out of memory",
        (Lang::Ja, FailureClass::OutOfMemory) => "メモリー不足",
        (Lang::En, FailureClass::Crash) => "the server crashed",
        (Lang::Ja, FailureClass::Crash) => "サーバーの異常終了",
        (Lang::En, FailureClass::Hang) => "the benchmark did not end in time",
        (Lang::Ja, FailureClass::Hang) => "ベンチマークが時間内に終わらず中断",
        (Lang::En, FailureClass::PortInUse) => "the port was in use",
        (Lang::Ja, FailureClass::PortInUse) => "ポートが使用中",
        (Lang::En, FailureClass::DiskFull) => "the disk was full",
        (Lang::Ja, FailureClass::DiskFull) => "ディスクの空き不足",
        (Lang::En, FailureClass::MissingEngine) => "the engine is not installed",
        (Lang::Ja, FailureClass::MissingEngine) => "エンジンが未インストール",
        (Lang::En, FailureClass::Unhealthy) => "the server did not become ready in time",
        (Lang::Ja, FailureClass::Unhealthy) => "サーバーが時間内に準備完了にならず中断",
        (Lang::En, FailureClass::BenchFailed) => "the benchmark failed",
        (Lang::Ja, FailureClass::BenchFailed) => "ベンチマークの失敗",
        (Lang::En, FailureClass::Cancelled) => "cancelled",
        (Lang::Ja, FailureClass::Cancelled) => "取り消し",
        (Lang::En, FailureClass::Lost) => "the agent was not heard of any more",
        (Lang::Ja, FailureClass::Lost) => "エージェントからの応答が途絶",
    }
}

/// What helps against a failure, in one sentence.
#[must_use]
pub fn remedy(lang: Lang, class: FailureClass) -> &'static str {
    match (lang, class) {
        (Lang::En, FailureClass::OutOfMemory) => {
            "The configuration needs more memory than there is; lower its batch or context, or use more GPUs."
        }
        (Lang::Ja, FailureClass::OutOfMemory) => {
            "この構成には搭載量より多くのメモリーが要ります。バッチやコンテキストを小さくするか、GPUを増やしてください。"
        }
        (Lang::En, FailureClass::Crash) => "The last lines of the server's log say more.",
        (Lang::Ja, FailureClass::Crash) => "サーバーのログの最後の数行を確認してください。",
        (Lang::En, FailureClass::Hang) => "Raise run_timeout_minutes if the benchmark just takes longer.",
        (Lang::Ja, FailureClass::Hang) => "単に時間がかかるだけなら、run_timeout_minutesを長くしてください。",
        (Lang::En, FailureClass::PortInUse) => {
            "Another program on the machine listens there; stop it, or give the agent other ports."
        }
        (Lang::Ja, FailureClass::PortInUse) => {
            "マシン上の別のプログラムが使っています。それを止めるか、エージェントに別のポートを指定してください。"
        }
        (Lang::En, FailureClass::DiskFull) => "Free disk space on the agent's machine.",
        (Lang::Ja, FailureClass::DiskFull) => "エージェントのマシンのディスクを空けてください。",
        (Lang::En, FailureClass::MissingEngine) => "Install the engine on the machine, or tell the agent where it is.",
        (Lang::Ja, FailureClass::MissingEngine) => {
            "マシンにエンジンをインストールするか、その場所をエージェントに指定してください。"
        }
        (Lang::En, FailureClass::Unhealthy) => "Raise start_timeout_minutes if the model just takes longer to load.",
        (Lang::Ja, FailureClass::Unhealthy) => {
            "モデルの読み込みに時間がかかるだけなら、start_timeout_minutesを長くしてください。"
        }
        (Lang::En, FailureClass::BenchFailed) => "The last lines of the benchmark say more; try its command by hand.",
        (Lang::Ja, FailureClass::BenchFailed) => {
            "ベンチマークの出力の最後の数行を確認し、コマンドを手で試してください。"
        }
        (Lang::En, FailureClass::Cancelled) => "It can be queued again.",
        (Lang::Ja, FailureClass::Cancelled) => "もう一度待機列に入れられます。",
        (Lang::En, FailureClass::Lost) => "Check whether the agent runs and reaches this server.",
        (Lang::Ja, FailureClass::Lost) => "エージェントが動作し、このサーバーに接続できるか確認してください。",
    }
}
