use std::sync::Arc;

use standing_orders_history::{MemoryLog, SessionLog, testing};

#[tokio::test]
async fn a_memory_log_keeps_the_laws() {
    testing::check_log(async |header| Box::new(MemoryLog::new(header)) as _, async |log| log).await;
}

#[tokio::test]
async fn a_shared_log_keeps_the_laws() {
    let create = async |header| {
        let log: Arc<dyn SessionLog> = Arc::new(MemoryLog::new(header));
        Box::new(log) as Box<dyn SessionLog>
    };
    testing::check_log(create, async |log| log).await;
}
